import { dirname, join, relative } from 'node:path'
import { build, type Metafile, type Plugin } from 'esbuild'
import { entryPoints } from './entry-points.ts'

const ENTRY = 'src/cli/run.ts'

/** The ways on from the entry that are not quick. */
const NOT_QUICK = ['./run-command.ts', '../compose/run-tunnel-process.ts']

/**
 * Builds vplane's entry with all that it answers by itself into dist/cli/run.cjs, and returns esbuild's account of it.
 *
 * It is one CommonJS file because that starts in half the time: each ES module costs a millisecond to find and link.
 *
 * @throws {Error} when esbuild fails, or a dynamic import leads to nothing that `bundle` builds.
 */
export async function quickBundle(root: string): Promise<Metafile> {
  const { metafile, warnings } = await build({
    absWorkingDir: root,
    entryPoints: [ENTRY],
    outfile: 'dist/cli/run.cjs',
    bundle: true,
    minify: true,
    format: 'cjs',
    platform: 'node',
    target: 'node24',
    banner: { js: `const __moduleUrl=require('node:url').pathToFileURL(__filename).href;` },
    define: { 'import.meta.url': '__moduleUrl' },
    plugins: [waysOn(root)],
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  })
  if (warnings.length > 0) {
    throw new Error(`esbuild has ${warnings.length} warnings, see above`)
  }
  return metafile
}

/** Leaves dynamic imports to the files that `bundle` makes, but for those of the entry: these are what is quick. */
function waysOn(root: string): Plugin {
  const entry = join(root, ENTRY)
  const built = entryPoints(root).map((file) => join(root, file))
  return {
    name: 'ways-on',
    setup: (esbuild) => {
      esbuild.onResolve({ filter: /^\./ }, ({ importer, kind, path, resolveDir }) => {
        if (kind !== 'dynamic-import' || (importer === entry && !NOT_QUICK.includes(path))) {
          return undefined
        }
        const target = join(resolveDir, path)
        if (!built.includes(target)) {
          return { errors: [{ text: `${relative(root, target)} is no entry point of the bundle` }] }
        }
        const file = relative(dirname(entry), target).replace(/\.ts$/, '.js')
        return { path: `./${file}`, external: true }
      })
    },
  }
}
