import { waitFor } from '../wait.ts'
import type { ProcessTable } from './process-table.ts'
import { sendSignal } from './send-signal.ts'

export interface ProcessIdentity {
  processId: number
  startTime: string
}

export interface EndOptions {
  table: ProcessTable
  signal: AbortSignal
  /** Time between SIGTERM and SIGKILL, in milliseconds; 0 kills at once. */
  graceMs: number
}

/** Time for a killed process to leave the table: it may be in the middle of a write to a slow disk. */
const KILL_TIMEOUT_MS = 10_000

/** Ends those of the processes that run, and returns when they have ended: SIGTERM, a grace period, SIGKILL. */
export async function endProcesses(
  processes: readonly ProcessIdentity[],
  { graceMs, signal, table }: EndOptions,
): Promise<void> {
  const living = () =>
    processes.filter(({ processId, startTime }) => table.startTimeOf(processId) === startTime)
  if (graceMs > 0) {
    living().forEach(({ processId }) => sendSignal(processId, 'SIGTERM'))
    await gone(living, { timeoutMs: graceMs, signal }).catch((error: unknown) => {
      if (signal.aborted) {
        throw error
      }
      // The grace period has expired: the remaining processes are killed below.
    })
  }
  living().forEach(({ processId }) => sendSignal(processId, 'SIGKILL'))
  await gone(living, { timeoutMs: KILL_TIMEOUT_MS, signal })
}

async function gone(
  living: () => ProcessIdentity[],
  options: { timeoutMs: number; signal: AbortSignal },
): Promise<void> {
  const ids = living().map(({ processId }) => processId)
  const what = `the end of process ${ids.join(', ')}`
  const hints = [
    'run the command again: a process that waits for its disk ends when the disk answers',
  ]
  const haveEnded = () => Promise.resolve(living().length === 0)
  await waitFor(haveEnded, { what, intervalMs: 10, hints, ...options })
}
