import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, constants, zstdCompressSync } from 'node:zlib'
import { build, type Metafile } from 'esbuild'
import {
  type HostedProgram,
  programFile,
  readOwnTemplates,
} from '../../src/manifests/templates/load-templates.ts'
import { packageVersion } from '../../src/shared/package-root.ts'
import { withoutUnusedData } from './bundle.ts'

/** The maximum size of a program in a ConfigMap, with room for everything else in it. */
const LIMIT_BYTES = 700 * 1024

/** The folder of programs in the operator's pod, see `templates/operator/deployment.yaml`. */
const PROGRAMS = '/etc/vplane/programs'

/** It is run from a URL that is no file's, see `templates/`, so `require` begins anywhere: only Node's own modules are left. */
const BANNER = `import{createRequire as __createRequire}from'node:module';const require=__createRequire('file:///');`

/**
 * Builds a program that runs in pods, such as the syncer, into one file in dist/ that needs nothing but Node.js, and is
 * compressed, since it goes into a ConfigMap.
 *
 * @throws {Error} when esbuild fails or warns, or the file is too large.
 */
export async function programBundle(root: string, program: HostedProgram): Promise<Metafile> {
  const { metafile, outputFiles, warnings } = await build({
    absWorkingDir: root,
    entryPoints: [`src/${program}/main.ts`],
    outfile: `dist/${program}.mjs`,
    write: false,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    banner: { js: BANNER },
    // In its pod there is no package to look into.
    define: {
      VPLANE_VERSION: JSON.stringify(packageVersion()),
      ...(program === 'operator'
        ? {
            VPLANE_TEMPLATES: JSON.stringify(readOwnTemplates()),
            VPLANE_PROGRAMS: JSON.stringify(PROGRAMS),
          }
        : {}),
    },
    // Pods reach their API servers without a proxy.
    external: ['./connect-socks.ts'],
    plugins: [withoutUnusedData],
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  })
  if (warnings.length > 0) {
    throw new Error(`esbuild has ${warnings.length} warnings, see above`)
  }
  const outfile = join(root, 'dist', programFile(program))
  const code = outputFiles[0]?.contents ?? new Uint8Array()
  const bytes = program === 'operator' ? withoutHostedCode(root, code) : brotliCompressSync(code)
  if (bytes.length > LIMIT_BYTES) {
    throw new Error(`${outfile} has ${Math.ceil(bytes.length / 1024)} KiB, over 700 KiB`)
  }
  await writeFile(outfile, bytes)
  return metafile
}

/**
 * The operator contains most of the code of the programs that it hosts, so it is compressed with these as a dictionary:
 * a Helm release, which stores all three, would be larger than a Secret may be.
 */
function withoutHostedCode(root: string, code: Uint8Array): Buffer {
  const hosted = (['keeper', 'syncer'] as const).map((program) =>
    brotliDecompressSync(readFileSync(join(root, 'dist', programFile(program)))),
  )
  return zstdCompressSync(code, {
    dictionary: Buffer.concat(hosted),
    params: {
      [constants.ZSTD_c_compressionLevel]: 22,
      [constants.ZSTD_c_windowLog]: 23,
      [constants.ZSTD_c_enableLongDistanceMatching]: 1,
    },
  })
}
