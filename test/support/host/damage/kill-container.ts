import { readdirSync, readFileSync } from 'node:fs'
import { sendSignal } from '../../../../src/shared/processes/send-signal.ts'

/**
 * Ends all processes of a container of the lab at once, as a machine without memory does it.
 *
 * @returns how many there were
 */
export function killContainer(containerId: string): number {
  return signalContainer(containerId, 'SIGKILL')
}

/** Sends a signal to all processes of a container of the lab: `SIGSTOP` makes it hang. */
export function signalContainer(containerId: string, signal: NodeJS.Signals): number {
  // The end of the first of them is that of the others.
  return processesOf(containerId).filter((id) => sendSignal(id, signal)).length
}

/** The ids of the processes of a container of the lab: `/proc/ID/root` is what it sees. */
export function processesOf(containerId: string): number[] {
  const name = containerId.replace(/^\w+:\/\//, '')
  if (!/^[0-9a-f]{64}$/.test(name)) {
    // One that has not started has none, and every process would be in the one without a name.
    return []
  }
  return readdirSync('/proc')
    .filter((id) => /^\d+$/.test(id) && isIn(id, name))
    .map(Number)
}

function isIn(processId: string, containerId: string): boolean {
  try {
    return readFileSync(`/proc/${processId}/cgroup`, 'utf8').includes(containerId)
  } catch {
    // It has ended meanwhile.
    return false
  }
}
