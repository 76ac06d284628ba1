import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { VplaneError } from '../../src/shared/errors.ts'
import type { E2ePrograms } from './e2e-programs.ts'
import { readSpecReport, type SpecOutcome } from './spec-report.ts'

/** Ends a run whose cluster does not answer any more. */
const TIMEOUT = '3h'

/** What runs specs, and where. */
export interface SpecRunner {
  programs: E2ePrograms & { kubectl: string }
  /** Of an administrator of the cluster under test. */
  kubeconfig: string
  /** Logs and reports go here. It exists. */
  folder: string
  environment: NodeJS.ProcessEnv
  signal: AbortSignal
}

/** Which specs run, and how. */
export interface SpecSelection {
  /** Of the log and the report: `parallel`. */
  name: string
  /** A regular expression in Go's syntax, which their names match. */
  focus: string
  /** A filter of their labels in Ginkgo's syntax: `!Serial`. */
  labels: string
  /** How many run at once. */
  processes: number
}

/**
 * Runs the selected specs of Kubernetes' tests with Ginkgo, which may be none.
 *
 * @throws {VplaneError} `FAILED` when none could run, `ABORTED` when the signal fires.
 */
export async function runSpecs(
  { environment, folder, kubeconfig, programs, signal }: SpecRunner,
  { focus, labels, name, processes }: SpecSelection,
): Promise<SpecOutcome[]> {
  const args = [
    'run',
    '--no-color',
    '--succinct',
    `--procs=${processes}`,
    `--timeout=${TIMEOUT}`,
    `--focus=${focus}`,
    `--label-filter=${labels}`,
    `--output-dir=${folder}`,
    `--json-report=${name}.json`,
    programs['e2e.test'],
    '--',
    `--kubeconfig=${kubeconfig}`,
    `--kubectl-path=${programs.kubectl}`,
    '--provider=skeleton',
    '--disable-log-dump',
    '--allowed-not-ready-nodes=-1',
  ]
  const log = join(folder, `${name}.log`)
  const output = createWriteStream(log)
  await once(output, 'open')
  const stdio = ['ignore', output, output] as const
  const child = spawn(programs.ginkgo, args, { cwd: folder, env: environment, stdio: [...stdio] })
  // It deletes its namespaces before it ends.
  const interrupt = () => child.kill('SIGINT')
  signal.addEventListener('abort', interrupt, { once: true })
  const [code] = await once(child, 'close')
  signal.removeEventListener('abort', interrupt)
  if (signal.aborted) {
    throw new VplaneError('ABORTED', 'interrupted', { cause: signal.reason })
  }
  const report = await readFile(join(folder, `${name}.json`), 'utf8').catch(() => '[]')
  const outcomes = readSpecReport(report)
  if (outcomes.length === 0 && code !== 0) {
    throw new VplaneError('FAILED', `no spec ran: ${log} says why`)
  }
  return outcomes
}
