import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Phase } from './phases.ts'
import { countsOf, type PhaseResult } from './results.ts'

export interface PhaseSurroundings {
  /** Where the commands run. */
  root: string
  /** An empty folder for this run's reports. */
  reports: string
  environment: Record<string, string | undefined>
}

/** Runs one phase with its output on the terminal. It fails by its exit code, or by taking longer than its limit. */
export async function runPhase(
  phase: Phase,
  { root, reports, environment }: PhaseSurroundings,
): Promise<PhaseResult> {
  const { name, isVitest = false, limitMinutes } = phase
  const [command = '', ...args] = phase.command
  const report = join(reports, `${name}.json`)
  const reporters = isVitest
    ? ['--reporter=default', '--reporter=json', `--outputFile=${report}`]
    : []
  const startedAt = performance.now()
  const child = spawn(command, [...args, ...reporters], {
    cwd: root,
    env: environment,
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: limitMinutes * 60_000,
    killSignal: 'SIGKILL',
  })
  const status = await new Promise<number | string>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code, signal) => resolve(code ?? `ended by ${signal}`))
  })
  const isOk = status === 0
  if (!isOk) {
    console.error(
      `${name} failed: ${command} ${typeof status === 'number' ? `exit ${status}` : status}`,
    )
  }
  return {
    name,
    isOk,
    minutes: (performance.now() - startedAt) / 60_000,
    counts: countsOf(isOk, existsSync(report) ? readFileSync(report, 'utf8') : undefined),
  }
}
