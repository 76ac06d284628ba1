import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { buildCacheFolder } from '../../../src/drivers/local/binaries/cache/cache-layout.ts'
import { processEnvironment } from '../../../src/shared/environment.ts'
import { COMPILER_FLAGS } from '../../../src/drivers/local/binaries/build/build-programs.ts'
import { packageRoot } from '../../../src/shared/package-root.ts'
import { pathsOf } from '../../../src/shared/paths.ts'

const MODULE = join(packageRoot(), 'test/support/programs/go')
const BUILT = join(packageRoot(), 'node_modules/.cache/vplane-test-programs')

/** The path of a program of `test/support/programs/go`, built when its source has changed since. */
export async function goProgram(
  name: 'asker' | 'controller' | 'lua-health' | 'watcher',
): Promise<string> {
  const folder = join(BUILT, sourceHash())
  if (!existsSync(folder)) {
    await mkdir(BUILT, { recursive: true })
    const draft = mkdtempSync(join(BUILT, 'draft-'))
    // Settings of vplane's own builds: with its binaries built here, most packages are compiled already.
    await promisify(execFile)('go', ['build', ...COMPILER_FLAGS, '-o', `${draft}/`, './...'], {
      cwd: MODULE,
      env: { ...process.env, CGO_ENABLED: '0', GOWORK: 'off', ...buildCache() },
    })
    publish(draft, folder)
  }
  return join(folder, name)
}

function sourceHash(): string {
  const hash = createHash('sha256')
  for (const path of readdirSync(MODULE, { recursive: true, encoding: 'utf8' }).toSorted()) {
    if (/\.(go|mod|sum)$/.test(path)) {
      hash.update(path).update(readFileSync(join(MODULE, path)))
    }
  }
  return hash.digest('hex').slice(0, 16)
}

function buildCache(): { GOCACHE?: string } {
  const folder = buildCacheFolder(pathsOf(processEnvironment()).cache)
  return existsSync(folder) ? { GOCACHE: folder } : {}
}

/** Another run may have been first: what it built is as good. */
function publish(draft: string, folder: string): void {
  try {
    renameSync(draft, folder)
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    if (!existsSync(folder)) {
      throw error
    }
  }
}
