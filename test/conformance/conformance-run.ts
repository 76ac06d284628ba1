import type { HostCli } from '../support/host/host-cli.ts'
import { createPlaneForSpecs } from './plane-for-specs.ts'
import { runSpecs, type SpecRunner } from './run-specs.ts'
import { RUNS, type RunName } from './runs.ts'
import type { SpecOutcome } from './spec-report.ts'

export interface ConformanceRun {
  name: RunName
  /** Those of the plane. */
  outcomes: SpecOutcome[]
  /** How the specs that failed ended on the host alone. */
  onHost: SpecOutcome[]
}

export interface RunOptions {
  cli: HostCli
  runner: Omit<SpecRunner, 'kubeconfig'>
  /** Which specs, as a regular expression in Go's syntax. */
  focus: string
  /** How many specs run at once that can. */
  processes: number
}

/** Runs specs in a new plane, and those that failed once more on its host alone. */
export async function runConformance(
  name: RunName,
  { cli, focus, processes, runner }: RunOptions,
): Promise<ConformanceRun> {
  const { kubeconfig, place } = await createPlaneForSpecs(cli, {
    name: `conformance-${name}`,
    flags: RUNS[name],
    folder: runner.folder,
  })
  const selection = { focus, processes }
  const outcomes = await runAll({ ...runner, kubeconfig }, `${name}-plane`, selection)
  const failed = outcomes.filter(({ state }) => state === 'failed')
  const onHost = await runAll({ ...runner, kubeconfig: cli.lab.kubeconfigPath }, `${name}-host`, {
    focus: exactly(failed),
    processes,
  })
  await cli.ok(['delete', ...place, '--yes'])
  return { name, outcomes, onHost }
}

/** A regular expression that these specs match. */
function exactly(specs: readonly SpecOutcome[]): string {
  const names = specs.map(({ name }) => name.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
  // An empty one would match all.
  return names.length === 0 ? '^$' : names.join('|')
}

/** Runs specs in parallel, and then those that cannot. */
async function runAll(
  runner: SpecRunner,
  name: string,
  { focus, processes }: { focus: string; processes: number },
): Promise<SpecOutcome[]> {
  const parallel = { name: `${name}-parallel`, focus, labels: '!Serial', processes }
  const serial = { name: `${name}-serial`, focus, labels: 'Serial', processes: 1 }
  return [...(await runSpecs(runner, parallel)), ...(await runSpecs(runner, serial))]
}
