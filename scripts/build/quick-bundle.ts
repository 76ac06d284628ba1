import { dirname, join, relative } from 'node:path'
import { build, type Metafile, type Plugin } from 'esbuild'
import { entryPoints } from './entry-points.ts'

const ENTRY = 'src/cli/run.ts'

/** The ways on from the entry that are not quick. */
const NOT_QUICK = [
  './run-command.ts',
  '../compose/run-keeper-process.ts',
  '../compose/run-tunnel-process.ts',
]

/** Ways on that are quick, but too long to be read with every start: they are a file of their own. */
const QUICK_BY_THEMSELVES = 'src/cli/quick/quick-ways.ts'

/** What a quick way never needs: when one of these is wanted, there is more to it, and the framework takes over. */
const NEVER_QUICK = [
  'src/cli/settings/parse-settings.ts',
  'src/compose/keeper/ensure-keeper.ts',
  'src/compose/render-plane.ts',
  'src/compose/snapshots.ts',
  'src/drivers/kubernetes/access/issue-credential.ts',
  'src/drivers/kubernetes/certificates/{renew-plane-leaves,rotate-keys,secrets-in-etcd}.ts',
  'src/drivers/kubernetes/change/{change-plane,plan-change}.ts',
  'src/drivers/kubernetes/etcd/members/change-member.ts',
  'src/drivers/kubernetes/objects/change-context.ts',
  'src/drivers/kubernetes/etcd/{can-return,hosted-etcd}.ts',
  'src/drivers/kubernetes/lifecycle/{create,pause,start}-plane.ts',
  'src/drivers/kubernetes/maintain/{name-server,renew-plane}.ts',
  'src/drivers/kubernetes/objects/{plane-keys,portable-keys}.ts',
  'src/drivers/kubernetes/record/hold-plane.ts',
  'src/drivers/kubernetes/restore/{restore,snapshot}-plane.ts',
  'src/drivers/kubernetes/workloads/mark-data.ts',
  'src/drivers/kubernetes/diagnosis/diagnose.ts',
  'src/drivers/kubernetes/metrics/{component-metrics,members-figures}.ts',
  'src/drivers/kubernetes/move/*-plane.ts',
  'src/drivers/kubernetes/logs/read-logs.ts',
  'src/drivers/kubernetes/preflight/preflight.ts',
  'src/drivers/kubernetes/remove/remove-plane.ts',
  'src/drivers/kubernetes/repair/{diagnose-plane,regain-majority,repair-faults}.ts',
  'src/drivers/kubernetes/status/debug-files.ts',
  'src/drivers/local/binaries/ensure-binaries.ts',
  'src/drivers/local/certificates/{issue-credential,renew-certificates}.ts',
  'src/drivers/local/change/{change,plan,rotate}-*.ts',
  'src/drivers/local/restore/{make-at-rest,restore-plane,snapshot-plane}.ts',
  'src/drivers/local/metrics/{component-metrics,measure-etcd}.ts',
  'src/drivers/local/move/*-plane.ts',
  'src/drivers/local/repair/{diagnose,repair}-plane.ts',
  'src/drivers/local/lifecycle/start-plane.ts',
  'src/drivers/local/status/debug-files.ts',
  'src/pki/issue/issue-certificate.ts',
  'src/pki/plane/list-certificates.ts',
  'src/etcd/status/cluster-version.ts',
  'src/etcd/data/{read-secrets,read-stale-objects}.ts',
  'src/pki/rotation/rotations.ts',
]

/**
 * Builds vplane's entry with all that it answers by itself into dist/cli/run.cjs, and the quick ways that look at planes
 * beside it, and returns esbuild's account of both.
 *
 * They are CommonJS files of one piece because these start in half the time: each ES module costs a millisecond to find
 * and link.
 *
 * @throws {Error} when esbuild fails, or a dynamic import leads to nothing that `bundle` builds.
 */
export async function quickBundle(root: string): Promise<Metafile> {
  const entry = await pieceOf(root, { module: ENTRY, plugins: [waysOn(root)] })
  const way = await pieceOf(root, { module: QUICK_BY_THEMSELVES, plugins: [withoutMore(root)] })
  return {
    inputs: { ...entry.inputs, ...way.inputs },
    outputs: { ...entry.outputs, ...way.outputs },
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

/** Leaves dynamic imports to the files that `bundle` makes, but for those of the entry: these are what is quick. */
function waysOn(root: string): Plugin {
  const entry = join(root, ENTRY)
  const built = entryPoints(root).map((file) => join(root, file))
  const fileOf = (target: string) => `./${relative(dirname(entry), target).replace(/\.ts$/, '')}`
  return {
    name: 'ways-on',
    setup: (esbuild) => {
      esbuild.onResolve({ filter: /^\./ }, ({ importer, kind, path, resolveDir }) => {
        const target = join(resolveDir, path)
        if (kind === 'dynamic-import' && target === join(root, QUICK_BY_THEMSELVES)) {
          return { path: `${fileOf(target)}.cjs`, namespace: 'required' }
        }
        if (kind !== 'dynamic-import' || (importer === entry && !NOT_QUICK.includes(path))) {
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

/** Refuses what is never quick in place of loading it: the way takes note of it and lets the framework take over. */
function withoutMore(root: string): Plugin {
  const never = entryPoints(root, NEVER_QUICK).map((file) => join(root, file))
  return {
    name: 'without-more',
    setup: (esbuild) => {
      esbuild.onResolve({ filter: /^\./ }, ({ kind, path, resolveDir }) => {
        const target = join(resolveDir, path)
        return kind === 'dynamic-import' && never.includes(target)
          ? { path: target, namespace: 'refused' }
          : undefined
      })
      esbuild.onLoad({ filter: /.*/, namespace: 'refused' }, () => ({
        contents: `import { moreToIt } from './src/cli/quick/more-to-it.ts'
import { VplaneError } from './src/shared/errors.ts'
moreToIt.isWanted = true
throw new VplaneError('FAILED', 'there is more to it')`,
        loader: 'ts',
        resolveDir: root,
      }))
    },
  }
}
