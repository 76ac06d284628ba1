import { hasErrorCode } from '../errors.ts'

/** Sends a signal to a process, or with a negative id to its process group; false when it has ended. */
export function sendSignal(processId: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(processId, name)
  } catch (error) {
    if (hasErrorCode(error, 'ESRCH')) {
      return false
    }
    throw error
  }
}

/** Whether a process of any user has this id. */
export function isProcessAlive(processId: number): boolean {
  try {
    return process.kill(processId, 0)
  } catch (error) {
    // Any other error means that the process belongs to another user.
    return !hasErrorCode(error, 'ESRCH')
  }
}
