import { packageVersion } from '../../shared/package-root.ts'
import { hasFields, parseNotes } from '../../shared/stored-format.ts'
import { isAlarmReason, type PlaneAlarm } from './plane-alarms.ts'
import { fieldAt, arrayAt } from '../../shared/json-fields.ts'

/** The format this vplane writes; readers take all older ones. */
const FORMAT_VERSION = 1

/** The text that a keeper leaves about what is wrong with a plane. */
export function formatAlarms(alarms: readonly PlaneAlarm[]): string {
  const record = { formatVersion: FORMAT_VERSION, writtenBy: packageVersion(), alarms }
  return `${JSON.stringify(record)}\n`
}

/**
 * Reads the text that a keeper left. One that is damaged says nothing: the keeper finds out anew what matters.
 *
 * @throws {VplaneError} `FAILED` when a newer vplane wrote it.
 */
export function parseAlarms(text: string, source: string): PlaneAlarm[] {
  const notes = parseNotes(text, { source, formatVersion: FORMAT_VERSION })
  return arrayAt(notes, 'alarms').flatMap((alarm) => {
    const since = new Date(String(fieldAt(alarm, 'since')))
    return isAlarm(alarm) && !Number.isNaN(since.getTime()) ? [{ ...alarm, since }] : []
  })
}

function isAlarm(value: unknown): value is Omit<PlaneAlarm, 'since'> {
  return (
    hasFields(value, { subject: 'string', message: 'string' }) &&
    isAlarmReason(fieldAt(value, 'reason'))
  )
}
