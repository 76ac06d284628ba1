import { isRecord } from '../../../shared/json-fields.ts'
import { hasFields } from '../../../shared/stored-format.ts'

/** A plane that goes when its owner does. */
export interface ProtectedPlane {
  /** Root folder of the store that it is in. */
  root: string
  name: string
}

/** What an owner tells its guard: everything that is protected now. A later message replaces an earlier one. */
export interface GuardMessage {
  ownerProcessId: number
  planes: ProtectedPlane[]
}

/** One line for the guard; empty when nothing is protected. */
export function formatGuardMessage(message: GuardMessage): string {
  return message.planes.length === 0 ? '\n' : `${JSON.stringify(message)}\n`
}

/** The message of a line; undefined when it is none, as when the owner died in the middle of writing its first one. */
export function parseGuardMessage(line: string): GuardMessage | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return isGuardMessage(value) ? value : undefined
  } catch {
    // Cut off: whatever it was about was not started yet, since owners write before they start.
    return undefined
  }
}

function isGuardMessage(value: unknown): value is GuardMessage {
  return (
    isRecord(value) &&
    Number.isSafeInteger(value['ownerProcessId']) &&
    Array.isArray(value['planes']) &&
    value['planes'].every((plane) => hasFields(plane, { root: 'string', name: 'string' }))
  )
}
