import { waitFor } from '../wait.ts'
import type { ProcessTable } from './process-table.ts'
import { sendSignal } from './send-signal.ts'

/** A process that is meant, and no later one with the same id. */
export interface ProcessIdentity {
  processId: number
  startTime: string
}

export interface EndOptions {
  table: ProcessTable
  signal: AbortSignal
  /** Time to end by itself after SIGTERM, in milliseconds; 0 kills at once. */
  graceMs: number
}

/** Time for a killed process to leave the table: it may be in the middle of a write to a slow disk. */
const KILL_TIMEOUT_MS = 10_000

/** Ends processes and returns when they are gone: SIGTERM, a grace period, SIGKILL. The dead are fine. */
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
      // They had their time: what is left is killed below.
    })
  }
  living().forEach(({ processId }) => sendSignal(processId, 'SIGKILL'))
  await gone(living, { timeoutMs: KILL_TIMEOUT_MS, signal })
}

async function gone(
  living: () => ProcessIdentity[],
  options: { timeoutMs: number; signal: AbortSignal },
): Promise<void> {
  await waitFor(() => Promise.resolve(living().length === 0), {
    what: `the end of process ${living()
      .map(({ processId }) => processId)
      .join(', ')}`,
    intervalMs: 10,
    ...options,
  })
}
