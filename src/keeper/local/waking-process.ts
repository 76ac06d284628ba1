import type { WakeSource } from '../../control-plane/status/wake-status.ts'
import type { ConnectingProcess } from '../../shared/network/connecting-process.ts'
import { linuxProcessTable } from '../../shared/processes/linux-process-table.ts'

/** A process as a client that wakes planes. */
export function sourceOf({ id, name, startTime }: ConnectingProcess): WakeSource {
  return { id: `${id}:${startTime}`, name: `${name} (process ${id})` }
}

/** Whether the process of a source still runs. */
export function isRunning({ id }: WakeSource): boolean {
  const [processId, startTime] = id.split(':')
  return linuxProcessTable().startTimeOf(Number(processId)) === startTime
}
