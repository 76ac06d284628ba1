import { dirname, join, relative } from 'node:path'
import { build, type Metafile, type Plugin } from 'esbuild'
import { entryPoints } from './entry-points.ts'

const ENTRY = 'src/cli/run.ts'

/** What the entry loads that is not fast: modules of `bundle`. */
const FRAMEWORK_AND_PROCESSES = [
  './run-command.ts',
  './run-keeper.ts',
  '../compose/run-tunnel-process.ts',
]

/** The part of the fast path that is too long to be read with every start: a file of its own. */
const WITH_PLANES = 'src/cli/fast-path/with-planes.ts'

/**
 * What that part may load later: the status of planes, and the way to their host. Wanting anything else is an error,
 * which makes the framework take over.
 */
const LOADED_LATER = [
  'src/compose/host/kubernetes-driver.ts',
  'src/drivers/kubernetes/status/read-status.ts',
  'src/kube/*.ts',
  'src/kube/!(proxy)/**/*.ts',
  'src/kube/proxy/!(connect-socks).ts',
  'src/tunnel/*.ts',
]

/**
 * Builds vplane's entry with all that it answers by itself into dist/cli/run.cjs, and the part of the fast path that looks
 * at planes beside it, and returns esbuild's account of both.
 *
 * They are CommonJS files of one piece because these start in half the time: each ES module costs a millisecond to find
 * and link.
 *
 * @throws {Error} when esbuild fails, or a dynamic import leads to nothing that `bundle` builds.
 */
export async function fastBundle(root: string): Promise<Metafile> {
  const entry = await pieceOf(root, { module: ENTRY, plugins: [entryImports(root)] })
  const planes = await pieceOf(root, { module: WITH_PLANES, plugins: [leaveOut(root)] })
  return {
    inputs: { ...entry.inputs, ...planes.inputs },
    outputs: { ...entry.outputs, ...planes.outputs },
  }
}

async function pieceOf(
  root: string,
  { module, plugins }: { module: string; plugins: Plugin[] },
): Promise<Metafile> {
  const { metafile, warnings } = await build({
    absWorkingDir: root,
    entryPoints: [module],
    outfile: module.replace(/^src/, 'dist').replace(/\.ts$/, '.cjs'),
    bundle: true,
    minify: true,
    format: 'cjs',
    platform: 'node',
    target: 'node24',
    banner: { js: `const __moduleUrl=require('node:url').pathToFileURL(__filename).href;` },
    define: { 'import.meta.url': '__moduleUrl' },
    alias: { yaml: join(root, 'node_modules/yaml/browser/index.js') },
    plugins,
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  })
  if (warnings.length > 0) {
    throw new Error(`esbuild has ${warnings.length} warnings, see above`)
  }
  return metafile
}

/** Leaves dynamic imports to the files that `bundle` makes, but for those of the entry: these are what is fast. */
function entryImports(root: string): Plugin {
  const entry = join(root, ENTRY)
  const built = entryPoints(root).map((file) => join(root, file))
  const fileOf = (target: string) => `./${relative(dirname(entry), target).replace(/\.ts$/, '')}`
  return {
    name: 'entry-imports',
    setup: (esbuild) => {
      esbuild.onResolve({ filter: /^\./ }, ({ importer, kind, path, resolveDir }) => {
        const target = join(resolveDir, path)
        if (kind === 'dynamic-import' && target === join(root, WITH_PLANES)) {
          return { path: `${fileOf(target)}.cjs`, namespace: 'required' }
        }
        if (
          kind !== 'dynamic-import' ||
          (importer === entry && !FRAMEWORK_AND_PROCESSES.includes(path))
        ) {
          return undefined
        }
        if (!built.includes(target)) {
          return { errors: [{ text: `${relative(root, target)} is no entry point of the bundle` }] }
        }
        return { path: `${fileOf(target)}.js`, external: true }
      })
      // Imported, Node.js would look through the whole file for what it exports.
      esbuild.onLoad({ filter: /.*/, namespace: 'required' }, ({ path }) => ({
        contents: `module.exports = require(${JSON.stringify(path)})`,
      }))
      esbuild.onResolve({ filter: /\.cjs$/, namespace: 'required' }, ({ path }) => ({
        path,
        external: true,
      }))
    },
  }
}

/** Replaces modules that must not be loaded by an error, which the fast path handles. */
function leaveOut(root: string): Plugin {
  const loaded = entryPoints(root, LOADED_LATER).map((file) => join(root, file))
  return {
    name: 'leave-out',
    setup: (esbuild) => {
      esbuild.onResolve({ filter: /^\./ }, ({ kind, path, resolveDir }) => {
        const target = join(resolveDir, path)
        return kind === 'dynamic-import' &&
          target.startsWith(join(root, 'src')) &&
          !loaded.includes(target)
          ? { path: target, namespace: 'left-out' }
          : undefined
      })
      esbuild.onLoad({ filter: /.*/, namespace: 'left-out' }, () => ({
        contents: `import { leftOut } from './src/cli/fast-path/left-out.ts'
import { VplaneError } from './src/shared/errors.ts'
leftOut.isNeeded = true
throw new VplaneError('FAILED', 'the framework is needed')`,
        loader: 'ts',
        resolveDir: root,
      }))
    },
  }
}
