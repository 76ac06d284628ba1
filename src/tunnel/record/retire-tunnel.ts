import { isVplaneError } from '../../shared/errors.ts'
import { endProcesses } from '../../shared/processes/end-processes.ts'
import {
  isAlive,
  type ProcessRecord,
  readProcessRecord,
} from '../../shared/processes/launch/process-record.ts'
import type { ProcessTable } from '../../shared/processes/process-table.ts'
import { waitFor } from '../../shared/wait.ts'
import { drainingFiles, type TunnelFolder } from './tunnel-folder.ts'
import { readServing } from './tunnel-record.ts'

interface RetireOptions {
  table: ProcessTable
  signal: AbortSignal
}

/** The signal to hand over to another tunnel process; Windows does not support it. */
export const HAND_OVER_SIGNAL = 'SIGUSR2'

const HAND_OVER_MS = 5000
const GRACE_MS = 2000

/**
 * Makes the process that listens stop listening, and waits until it does. Open connections continue, except on Windows
 * and if the process ignores the signal.
 */
export async function retireTunnel(
  folder: TunnelFolder,
  { signal, table }: RetireOptions,
): Promise<void> {
  const serving = readServing(folder)
  if (!isAlive(serving, table)) {
    return
  }
  try {
    if (process.platform !== 'win32') {
      process.kill(serving.processId, HAND_OVER_SIGNAL)
      await waitFor(
        async () =>
          readServing(folder)?.processId !== serving.processId || !isAlive(serving, table),
        { what: 'the tunnel to stop listening', timeoutMs: HAND_OVER_MS, intervalMs: 5, signal },
      )
      return
    }
  } catch (error) {
    if (isVplaneError(error, 'ABORTED')) {
      throw error
    }
    // It has already ended, or ignores the signal and is ended below.
  }
  await endProcesses([serving], { table, signal, graceMs: GRACE_MS })
}

/** Ends all processes of a tunnel and their connections. */
export async function endTunnel(
  folder: TunnelFolder,
  { signal, table }: RetireOptions,
): Promise<void> {
  const records = [readServing(folder), ...drainingFiles(folder).map(readProcessRecord)]
  const living = records.filter((record): record is ProcessRecord => isAlive(record, table))
  await endProcesses(living, { table, signal, graceMs: GRACE_MS })
}
