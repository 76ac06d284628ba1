import { packageVersion } from '../../shared/package-root.ts'
import { parseNotes } from '../../shared/stored-format.ts'
import { fieldAt } from '../../shared/json-fields.ts'

/** When a plane was used, as its keeper has written down. */
export interface IdleStatus {
  /** When it was seen last that somebody uses it. @default its keeper has not looked yet */
  usedAt?: Date
  /** What the keeper saw then: it sees something else as soon as the plane is used again. */
  mark?: string
}

/** The format this vplane writes; readers take all older ones. */
const FORMAT_VERSION = 1

/** The text that a keeper leaves about the use of its plane. */
export function formatIdleStatus(status: IdleStatus): string {
  return `${JSON.stringify({ formatVersion: FORMAT_VERSION, writtenBy: packageVersion(), ...status })}\n`
}

/**
 * Reads the text that a keeper left. One that is damaged says nothing: to its keeper the plane is used then.
 *
 * @throws {VplaneError} `FAILED` when a newer vplane wrote it.
 */
export function parseIdleStatus(text: string, source: string): IdleStatus {
  const value = parseNotes(text, { source, formatVersion: FORMAT_VERSION })
  const usedAt = new Date(String(fieldAt(value, 'usedAt')))
  const mark = fieldAt(value, 'mark')
  return Number.isNaN(usedAt.getTime()) || typeof mark !== 'string' ? {} : { usedAt, mark }
}
