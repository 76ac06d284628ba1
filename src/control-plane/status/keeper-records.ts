import { arrayAt, fieldAt, numberAt, textAt } from '../../shared/json-fields.ts'
import { omitUndefined } from '../../shared/omit-undefined.ts'
import { packageVersion } from '../../shared/package-root.ts'
import { hasFields, parseNotes } from '../../shared/stored-format.ts'
import type { BackupStatus } from './backup-status.ts'
import { isAlarmReason, type PlaneAlarm } from './plane-alarms.ts'
import type { PlaneEvent } from './plane-status.ts'
import type { Wake, WakeSource, WakeStatus } from './wake-status.ts'

// A keeper stores these texts. Parsers return nothing for a damaged text, because the keeper observes everything again.

export interface IdleStatus {
  /** When the keeper last saw that the plane is used. @default its keeper has not checked yet */
  usedAt?: Date
  /** What the keeper observed then: any later use changes it. */
  mark?: string
}

/** The format that this vplane writes; it reads all earlier ones. */
const FORMAT_VERSION = 1

/** What a keeper stores, as text. */
export function formatKeeperRecord(
  fields:
    | BackupStatus
    | IdleStatus
    | WakeStatus
    | { alarms: readonly PlaneAlarm[] }
    | { events: readonly PlaneEvent[] },
): string {
  const record = { formatVersion: FORMAT_VERSION, writtenBy: packageVersion(), ...fields }
  return `${JSON.stringify(record)}\n`
}

/** `source` names it in errors. @throws {VplaneError} `FAILED` when a newer vplane wrote it. */
export function parseAlarms(text: string, source: string): PlaneAlarm[] {
  return arrayAt(parse(text, source), 'alarms').flatMap((alarm) => {
    const since = dateOf(fieldAt(alarm, 'since'))
    return isAlarm(alarm) && since !== undefined ? [{ ...alarm, since }] : []
  })
}

/** `source` names it in errors. @throws {VplaneError} `FAILED` when a newer vplane wrote it. */
export function parseBackupStatus(text: string, source: string): BackupStatus {
  const value = parse(text, source)
  const [last, failure] = [fieldAt(value, 'last'), fieldAt(value, 'failure')]
  const [lastAt, failedAt] = [dateOf(fieldAt(last, 'at')), dateOf(fieldAt(failure, 'at'))]
  return omitUndefined({
    last: lastAt !== undefined && isLast(last) ? { ...last, at: lastAt } : undefined,
    failure:
      failedAt !== undefined && isFailure(failure) ? { ...failure, at: failedAt } : undefined,
    nextAt: dateOf(fieldAt(value, 'nextAt')),
  })
}

/** It counts as used without a last use. @throws {VplaneError} `FAILED` when a newer vplane wrote it. */
export function parseIdleStatus(text: string, source: string): IdleStatus {
  const value = parse(text, source)
  const usedAt = dateOf(fieldAt(value, 'usedAt'))
  const mark = fieldAt(value, 'mark')
  return usedAt === undefined || typeof mark !== 'string' ? {} : { usedAt, mark }
}

/** `source` names it in errors. @throws {VplaneError} `FAILED` when a newer vplane wrote it. */
export function parseWakeStatus(text: string, source: string): WakeStatus {
  const value = parse(text, source)
  const stay = fieldAt(value, 'staysAwake')
  const [since, reason] = [dateOf(fieldAt(stay, 'since')), textAt(stay, 'reason')]
  return omitUndefined({
    count: numberAt(value, 'count') ?? 0,
    recent: arrayAt(value, 'recent').flatMap((wake) => wakeOf(wake) ?? []),
    watchers: arrayAt(value, 'watchers').filter(isSource),
    staysAwake:
      since === undefined || reason === undefined
        ? undefined
        : omitUndefined({ since, reason, source: sourceAt(stay) }),
  })
}

/** `source` names it in errors. @throws {VplaneError} `FAILED` when a newer vplane wrote it. */
export function parseEvents(text: string, source: string): PlaneEvent[] {
  return arrayAt(parse(text, source), 'events').flatMap((event) => {
    const at = dateOf(fieldAt(event, 'at'))
    return at !== undefined && isEvent(event) ? [{ ...event, at }] : []
  })
}

function parse(text: string, source: string): unknown {
  return parseNotes(text, { source, formatVersion: FORMAT_VERSION })
}

function isAlarm(value: unknown): value is Omit<PlaneAlarm, 'since'> {
  return (
    hasFields(value, { subject: 'string', message: 'string' }) &&
    isAlarmReason(fieldAt(value, 'reason'))
  )
}

function isLast(value: unknown): value is Omit<NonNullable<BackupStatus['last']>, 'at'> {
  return hasFields(value, { id: 'string', revision: 'number', sizeBytes: 'number' })
}

function isFailure(value: unknown): value is Omit<NonNullable<BackupStatus['failure']>, 'at'> {
  return hasFields(value, { reason: 'string', count: 'number' })
}

function isEvent(value: unknown): value is Omit<PlaneEvent, 'at'> {
  return (
    hasFields(value, { object: 'string', reason: 'string', message: 'string', count: 'number' }) &&
    ['normal', 'warning'].includes(textAt(value, 'level') ?? '')
  )
}

function wakeOf(value: unknown): Wake | undefined {
  const at = dateOf(fieldAt(value, 'at'))
  const ms = numberAt(value, 'ms')
  const hasWrites = fieldAt(value, 'hasWrites')
  return at === undefined || ms === undefined
    ? undefined
    : omitUndefined({
        at,
        ms,
        source: sourceAt(value),
        serverName: textAt(value, 'serverName'),
        hasWrites: typeof hasWrites === 'boolean' ? hasWrites : undefined,
      })
}

function sourceAt(value: unknown): WakeSource | undefined {
  const source = fieldAt(value, 'source')
  return isSource(source) ? source : undefined
}

function isSource(value: unknown): value is WakeSource {
  return hasFields(value, { id: 'string', name: 'string' })
}

function dateOf(value: unknown): Date | undefined {
  const date = new Date(typeof value === 'string' ? value : Number.NaN)
  return Number.isNaN(date.getTime()) ? undefined : date
}
