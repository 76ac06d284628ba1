import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { BANNER } from '../../../scripts/build/bundle.ts'
import { packageRoot } from '../../../src/shared/package-root.ts'

/** Runs what `bundleController` wrote, in a container with Node.js that sees the file below `/app`. */
export const RUN_BUNDLE = `const { readFileSync, writeFileSync } = require('node:fs')
const packed = readFileSync('/app/controller.mjs.gz')
writeFileSync('/tmp/controller.mjs', require('node:zlib').gunzipSync(packed))
import('/tmp/controller.mjs')`

/**
 * Writes the example controller with its official client into one file `controller.mjs.gz`, which fits into a ConfigMap,
 * and returns its path. It finds its API as pods do, and looks after the namespace `default`.
 */
export async function bundleController(folder: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: `import { KubeConfig } from '@kubernetes/client-node'
import { startController } from './test/example-controller/src/controller.ts'
const config = new KubeConfig()
config.loadFromCluster()
await startController(config, { namespace: 'default', onError: console.error })`,
      resolveDir: packageRoot(),
      loader: 'ts',
    },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    banner: { js: BANNER },
    write: false,
  })
  const path = join(folder, 'controller.mjs.gz')
  await writeFile(path, gzipSync(outputFiles[0]?.contents ?? ''))
  return path
}
