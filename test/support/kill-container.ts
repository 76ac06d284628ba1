import { readdirSync, readFileSync } from 'node:fs'

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
  const name = containerId.replace(/^\w+:\/\//, '')
  const processes = readdirSync('/proc')
    .filter((id) => /^\d+$/.test(id) && isIn(id, name))
    .map(Number)
  for (const id of processes) {
    process.kill(id, signal)
  }
  return processes.length
}

function isIn(processId: string, containerId: string): boolean {
  try {
    return readFileSync(`/proc/${processId}/cgroup`, 'utf8').includes(containerId)
  } catch {
    // It has ended meanwhile.
    return false
  }
}
