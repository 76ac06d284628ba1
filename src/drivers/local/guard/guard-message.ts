import { isRecord } from '../../../shared/json-fields.ts'
import { hasFields } from '../../../shared/stored-format.ts'

/** A plane that is removed when its owner dies. */
export interface ProtectedPlane {
  /** Root folder of its store. */
  root: string
  name: string
}

/** All planes of an owner that are protected now. A message replaces the one before. */
export interface GuardMessage {
  ownerProcessId: number
  planes: ProtectedPlane[]
}

/** Formats a message as one line; empty without planes. */
export function formatGuardMessage(message: GuardMessage): string {
  return message.planes.length === 0 ? '\n' : `${JSON.stringify(message)}\n`
}

/** Parses a line; undefined when it is no message, as when the owner died while it wrote its first one. */
export function parseGuardMessage(line: string): GuardMessage | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return isGuardMessage(value) ? value : undefined
  } catch {
    // Incomplete: its plane was not started yet, since owners write before they start a plane.
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
