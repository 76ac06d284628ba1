import { packageVersion } from '../../shared/package-root.ts'
import { hasFields, parseNotes } from '../../shared/stored-format.ts'
import type { BackupStatus } from './backup-status.ts'
import { fieldAt } from '../../shared/json-fields.ts'

/** The format this vplane writes; readers take all older ones. */
const FORMAT_VERSION = 1

/** The text that a keeper leaves about the backups of a plane. */
export function formatBackupStatus(status: BackupStatus): string {
  return `${JSON.stringify({ formatVersion: FORMAT_VERSION, writtenBy: packageVersion(), ...status })}\n`
}

/**
 * Reads the text that a keeper left. One that is damaged says nothing: the keeper finds out anew what matters.
 *
 * @throws {VplaneError} `FAILED` when a newer vplane wrote it.
 */
export function parseBackupStatus(text: string, source: string): BackupStatus {
  const value = parseNotes(text, { source, formatVersion: FORMAT_VERSION })
  const nextAt = dateOf(fieldAt(value, 'nextAt'))
  return {
    ...lastOf(fieldAt(value, 'last')),
    ...failureOf(fieldAt(value, 'failure')),
    ...(nextAt === undefined ? {} : { nextAt }),
  }
}

function lastOf(value: unknown): Pick<BackupStatus, 'last'> {
  const at = dateOf(fieldAt(value, 'at'))
  return at !== undefined && isLast(value) ? { last: { ...value, at } } : {}
}

function failureOf(value: unknown): Pick<BackupStatus, 'failure'> {
  const at = dateOf(fieldAt(value, 'at'))
  return at !== undefined && isFailure(value) ? { failure: { ...value, at } } : {}
}

function isLast(value: unknown): value is Omit<NonNullable<BackupStatus['last']>, 'at'> {
  return hasFields(value, { id: 'string', revision: 'number', sizeBytes: 'number' })
}

function isFailure(value: unknown): value is Omit<NonNullable<BackupStatus['failure']>, 'at'> {
  return hasFields(value, { reason: 'string', count: 'number' })
}

function dateOf(value: unknown): Date | undefined {
  const date = new Date(typeof value === 'string' ? value : Number.NaN)
  return Number.isNaN(date.getTime()) ? undefined : date
}
