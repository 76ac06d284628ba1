import { globSync } from 'node:fs'

/**
 * What becomes a file of its own in dist/, at the place it has in src/; everything else goes into shared chunks.
 * Commands are found by their place, as in a checkout.
 */
const ENTRY_POINTS = [
  'src/commands/**/*.ts',
  'src/cli/{run-command,run-keeper,slow-credential}.ts',
  'src/cli/catalog/framework.ts',
  'src/cli/settings/parse-settings.ts',
  'src/compose/run-tunnel-process.ts',
  'src/drivers/local/guard/remove-protected-main.ts',
  'src/library/index.ts',
  'src/library/vitest.ts',
  'src/library/client-node.ts',
]

/**
 * The files behind a list of patterns, as paths from `root`, sorted.
 *
 * @throws {Error} when a pattern finds nothing: a package that lacks an entry must not be built.
 */
export function entryPoints(root: string, patterns: readonly string[] = ENTRY_POINTS): string[] {
  return patterns
    .flatMap((pattern) => {
      const files = globSync(pattern, { cwd: root })
      if (files.length === 0) {
        throw new Error(`no file matches the entry point "${pattern}" in ${root}`)
      }
      return files
    })
    .sort()
}
