import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { platformOf } from '../../../src/drivers/local/binaries/cache/platform.ts'
import { dockerArchive } from '../../lab/images/docker-archive.ts'
import type { LabContext } from '../../lab/lab-context.ts'
import { runCommand } from '../../lab/machine/run-command.ts'
import type { E2ePrograms } from '../e2e-programs.ts'
import { e2eFiles } from './e2e-files.ts'
import { e2eImages } from './e2e-images.ts'

/** The path of the archive of all images of the conformance tests of a Kubernetes version, created when it is missing. */
export async function ensureE2eImages(
  version: string,
  programs: E2ePrograms & { etcd: string },
  context: LabContext,
): Promise<string> {
  const images = e2eImages(await runCommand(programs['e2e.test'], ['--list-images']))
  const path = join(context.folder.images, `e2e-${version}~${identityOf(programs)}.tar`)
  if (!existsSync(path)) {
    context.ui.step('preparing the images of the tests')
    await mkdir(context.folder.images, { recursive: true, mode: 0o700 })
    const entries = await e2eFiles(version, programs, context)
    const draft = `${path}.${process.pid}`
    await writeFile(draft, dockerArchive({ architecture: platformOf().arch, entries, images }))
    await rename(draft, path)
  }
  return path
}

/** Differs when one of the programs does, or how the images are made. */
function identityOf(programs: Readonly<Record<string, string>>): string {
  const hash = createHash('sha256')
  for (const name of ['e2e-files.ts', 'e2e-images.ts']) {
    hash.update(readFileSync(join(import.meta.dirname, name)))
  }
  for (const path of Object.values(programs)) {
    const { mtimeMs, size } = statSync(path)
    hash.update(`${path} ${mtimeMs} ${size}\n`)
  }
  return hash.digest('hex').slice(0, 12)
}
