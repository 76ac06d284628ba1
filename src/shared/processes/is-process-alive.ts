import { hasErrorCode } from '../errors.ts'

/** Tells whether there is a process of an id on this machine, whoever's it is. */
export function isProcessAlive(processId: number): boolean {
  try {
    return process.kill(processId, 0)
  } catch (error) {
    // Somebody else's process is alive all the same.
    return !hasErrorCode(error, 'ESRCH')
  }
}
