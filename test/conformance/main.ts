import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { ensureFreshBuild } from '../../scripts/build/fresh-build.ts'
import { DEFAULT_KUBERNETES_VERSION } from '../../src/control-plane/spec/kubernetes-version.ts'
import { packageRoot } from '../../src/shared/package-root.ts'
import { labContext } from '../lab/lab-context.ts'
import { startLab } from '../lab/lab.ts'
import { stderrUi } from '../support/cli/stderr-ui.ts'
import { createHostCli } from '../support/host/host-cli.ts'
import { formatRun } from './conformance-report.ts'
import { runConformance } from './conformance-run.ts'
import { ensureE2ePrograms } from './e2e-programs.ts'
import { ensureE2eImages } from './images/ensure-e2e-images.ts'
import { isRunName, RUNS } from './runs.ts'

const NODES = 2

// `npm run conformance` runs all conformance specs in both planes, `-- --run a --focus REGEXP` some of them in one.
const { values } = parseArgs({
  options: {
    run: { type: 'string', multiple: true, default: Object.keys(RUNS) },
    focus: { type: 'string', default: String.raw`\[Conformance\]` },
    processes: { type: 'string', default: '4' },
    output: {
      type: 'string',
      default: join(packageRoot(), 'node_modules/.cache/vplane-conformance'),
    },
  },
})
const unknown = values.run.filter((name) => !isRunName(name))
if (unknown.length > 0 || !(Number(values.processes) >= 1)) {
  const known = Object.keys(RUNS).join(', ')
  throw new Error(
    `--run is one of ${known}, --processes a number: "${unknown.join(', ')}", "${values.processes}"`,
  )
}
const interrupted = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.once(name, () => interrupted.abort(new Error(name)))
}
const { signal } = interrupted
const ui = stderrUi('conformance')
const context = labContext(ui, signal)
const version = DEFAULT_KUBERNETES_VERSION
const folder = resolve(values.output)
await ensureFreshBuild(packageRoot())
const programs = await ensureE2ePrograms(version, context)
await using lab = await startLab({ nodes: NODES, signal })
await using cli = await createHostCli({ lab })
const { etcd, kubectl } = cli.binaries
await lab.loadImage(await ensureE2eImages(version, { ...programs, etcd }, context))
await mkdir(folder, { recursive: true })
const options = {
  cli,
  runner: { programs: { ...programs, kubectl }, folder, environment: cli.environment, signal },
  focus: values.focus,
  processes: Number(values.processes),
}
for (const name of values.run.filter(isRunName)) {
  ui.step(`run ${name} of Kubernetes ${version}: logs are in ${folder}`)
  const run = await runConformance(name, options)
  await writeFile(join(folder, `${name}.json`), `${JSON.stringify(run, undefined, 2)}\n`)
  process.stdout.write(`${formatRun(run)}\n`)
}
