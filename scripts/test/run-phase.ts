import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Phase } from './phases.ts'
import { type PhaseReport, REPORT } from './phase-report.ts'
import { type PhaseResult, ran } from './results.ts'

export interface PhaseSurroundings {
  /** Where the commands run. */
  root: string
  /** An empty folder for this run's reports. */
  reports: string
  environment: Record<string, string | undefined>
  /** Stops it early; it may clean up first. */
  signal: AbortSignal
}

const REPORTER = `--reporter=${fileURLToPath(import.meta.resolve('./phase-reporter.ts'))}`

/** How long what is interrupted may take to clean up, in milliseconds. */
const CLEANING_MS = 60_000

/** Runs one phase with its output on the terminal. It fails by its exit code, or by taking longer than its limit. */
export async function runPhase(
  phase: Phase,
  { root, reports, environment, signal }: PhaseSurroundings,
): Promise<PhaseResult> {
  const { name, isVitest = false, limitMinutes } = phase
  const [command = '', ...args] = phase.command
  const report = join(reports, `${name}.json`)
  const reporters = isVitest ? ['--reporter=default', REPORTER] : []
  const startedAt = performance.now()
  const child = spawn(command, [...args, ...reporters], {
    cwd: root,
    env: { ...environment, [REPORT]: report },
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: limitMinutes * 60_000,
    killSignal: 'SIGKILL',
  })
  const interrupt = () => {
    child.kill('SIGINT')
    setTimeout(() => child.kill('SIGKILL'), CLEANING_MS).unref()
  }
  signal.addEventListener('abort', interrupt)
  const status = await new Promise<number | string>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code, signal) => resolve(code ?? `ended by ${signal}`))
  })
  signal.removeEventListener('abort', interrupt)
  const isOk = status === 0
  if (!isOk) {
    console.error(
      `${name} failed: ${command} ${typeof status === 'number' ? `exit ${status}` : status}`,
    )
  }
  const found: PhaseReport | undefined = existsSync(report)
    ? JSON.parse(readFileSync(report, 'utf8'))
    : undefined
  const minutes = (performance.now() - startedAt) / 60_000
  return ran(name, { isOk, minutes, ...(found && { report: found }) })
}
