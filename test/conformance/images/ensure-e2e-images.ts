import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { platformOf } from '../../../src/drivers/local/binaries/cache/platform.ts'
import { ensureArchive } from '../../lab/images/ensure-image.ts'
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
  const files = readFileSync(join(import.meta.dirname, 'e2e-files.ts'), 'utf8')
  const source = {
    name: `e2e-${version}`,
    recipe: { images, files },
    programs: Object.values(programs),
  }
  return await ensureArchive(source, context.folder, async () => {
    context.ui.step('preparing the images of the tests')
    const entries = await e2eFiles(version, programs, context)
    return { architecture: platformOf().arch, entries, images }
  })
}
