import { packageVersion } from '../../shared/package-root.ts'
import { fieldOf, hasFields, parseNotes } from '../../shared/stored-format.ts'
import { isAlarmReason, type PlaneAlarm } from './plane-alarms.ts'

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
  const alarms = fieldOf(notes, 'alarms')
  return (Array.isArray(alarms) ? alarms : []).flatMap((alarm: unknown) => {
    const since = new Date(String(fieldOf(alarm, 'since')))
    return isAlarm(alarm) && !Number.isNaN(since.getTime()) ? [{ ...alarm, since }] : []
  })
}

function isAlarm(value: unknown): value is Omit<PlaneAlarm, 'since'> {
  return (
    hasFields(value, { subject: 'string', message: 'string' }) &&
    isAlarmReason(fieldOf(value, 'reason'))
  )
}
