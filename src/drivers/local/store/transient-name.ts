import { randomUUID } from 'node:crypto'
import { isProcessAlive } from '../../../shared/processes/is-process-alive.ts'

/** Tells this process from an earlier one with the same id. */
const run = randomUUID().slice(0, 8)

/**
 * A name for a folder on its way into the store or out of it. No plane's name begins with a period, and it says who
 * works on it: so what a dead process left can be told from what a living one is about to move.
 */
export function transientName(way: 'new' | 'old', plane: string): string {
  return `.${way}-${process.pid}-${run}-${plane}-${randomUUID().slice(0, 8)}`
}

/** Tells whether a folder is of a process that died before it was done. */
export function isAbandoned(name: string): boolean {
  const match = /^\.(?:new|old)-(\d+)-([0-9a-f]{8})-/.exec(name)
  if (match === null) {
    return false
  }
  const processId = Number(match[1])
  return processId === process.pid ? match[2] !== run : !isProcessAlive(processId)
}
