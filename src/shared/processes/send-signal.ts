import { hasErrorCode } from '../errors.ts'

/**
 * Sends a signal to a process, or, with its id below 0, to the group that it leads.
 *
 * @returns whether it was there: it may have ended.
 */
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
