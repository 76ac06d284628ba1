import { execFileSync } from 'node:child_process'
import { globSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { acquireFileLock } from '../../src/shared/files/file-lock.ts'

/** What a build is made from. */
const SOURCES = [
  'src/**/*.ts',
  'templates/**/*.*',
  'schemas/{crds,policies}/*.json',
  'scripts/{build,chart}/*.ts',
  'package.json',
]

/** How long another build is waited for, in milliseconds. */
const LONGEST_MS = 180_000

/**
 * Builds dist/ unless it is newer than everything that it is made from. Several at once build once.
 *
 * @throws {Error} when the build fails; stderr has the reason.
 */
export async function ensureFreshBuild(root: string): Promise<void> {
  const lock = join(root, 'node_modules/.cache/vplane-build.lock')
  const what = 'another build of this checkout'
  await using _ = await acquireFileLock(lock, { what, timeoutMs: LONGEST_MS })
  if (newest(root, SOURCES) > newest(root, ['dist/cli/run.cjs', 'oclif.manifest.json'])) {
    execFileSync(process.execPath, [join(root, 'scripts/build.ts')], {
      cwd: root,
      stdio: ['ignore', 2, 2],
    })
  }
}

function newest(root: string, patterns: readonly string[]): number {
  const times = patterns
    .flatMap((pattern) => globSync(pattern, { cwd: root }))
    .map((file) => statSync(join(root, file)).mtimeMs)
  return Math.max(0, ...times)
}
