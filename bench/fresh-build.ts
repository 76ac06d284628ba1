import { execFileSync } from 'node:child_process'
import { globSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** What a build is made from. */
const SOURCES = ['src/**/*.ts', 'templates/**/*.*', 'scripts/build/*.ts', 'package.json']

/** Builds dist/ unless it is newer than everything that it is made from. */
export function ensureFreshBuild(root: string): void {
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
