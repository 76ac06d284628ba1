import { basename, dirname } from 'node:path'
import {
  recordedUnfinished,
  type Unfinished,
} from '../../../control-plane/operations/unfinished.ts'
import { isJournalEntry, type JournalEntry } from '../../../control-plane/operations/journal.ts'
import type { Plane } from '../../../control-plane/plane/plane.ts'
import {
  isNeverStarted,
  isRecordedPlane,
  recordedPlane,
  type RecordedPlane,
} from '../../../control-plane/plane/recorded-plane.ts'
import { omitUndefined } from '../../../shared/omit-undefined.ts'
import { VplaneError } from '../../../shared/errors.ts'
import {
  type FieldTypes,
  hasFields,
  hasOptional,
  parseNotes,
  parseStored,
  stampOf,
} from '../../../shared/stored-format.ts'
import { writeFile } from '../../../shared/files/write-file.ts'
import { fieldAt } from '../../../shared/json-fields.ts'
import type { Machine } from '../../../shared/processes/process-namespace.ts'
import { readTextFile } from '../../../shared/files/read-text-file.ts'

/** The format that this vplane writes. It reads all older formats. */
const FORMAT_VERSION = 1

const PORTS = ['etcdClient', 'etcdPeer', 'apiServer', 'controllerManager'] as const

export type Ports = Record<(typeof PORTS)[number], number>

export interface Owner {
  processId: number
  /** Distinguishes it from a later process with the same id. */
  startTime: string
}

/** The content of `plane.json`. */
export interface PlaneRecord extends RecordedPlane {
  desired: 'running' | 'paused'
  /** Whether certificates and keys are complete. Before that, everything may be created again. */
  isBootstrapped: boolean
  ports: Ports
  /** The boot of the machine in which the plane was created. An ephemeral plane does not outlive it. */
  bootId: string
  /** Where it was created. @default vplane 0.1.0 created it */
  machine?: Machine
  binDir?: string
  owner?: Owner
  /** The operation that runs or was interrupted. It is stored in a separate file, because every step replaces it. */
  journal?: JournalEntry
  /** `keepFormer`: the former data is retained. */
  restoring?: NonNullable<RecordedPlane['restoring']> & { keepFormer: boolean }
}

/** Undefined if missing. @throws {VplaneError} `FAILED` when unreadable, or of a newer vplane. */
export function readPlaneRecord(path: string): PlaneRecord | undefined {
  const text = readTextFile(path)
  if (text === undefined) {
    return undefined
  }
  const record = parsePlaneRecord(text, path)
  const folder = basename(dirname(path))
  if (record.name !== folder) {
    // A copied folder: changes to it must not affect the plane that it was copied from.
    throw new VplaneError('FAILED', `${path} is of a plane named "${record.name}", not "${folder}"`)
  }
  return record
}

/** Replaces the record at `path` in one step, with this vplane's version. */
export async function writePlaneRecord(path: string, record: PlaneRecord): Promise<PlaneRecord> {
  const { madeBy: _, journal: _journal, ...rest } = record
  const stamped = { ...rest, ...stampOf(record, FORMAT_VERSION) }
  await writeFile(path, `${JSON.stringify(stamped, null, 2)}\n`)
  return stamped
}

/** The domain's view of a record. */
export function toPlane(record: PlaneRecord): Plane {
  const { binDir } = record
  const unfinished = unfinishedOf(record).flatMap(({ kind }) => (kind === 'other' ? [] : kind))
  return { driver: 'local', ...recordedPlane(record, unfinished), ...omitUndefined({ binDir }) }
}

/** What is unfinished on a plane, the strictest first. */
export function unfinishedOf(record: PlaneRecord): Unfinished[] {
  const { isBootstrapped, journal } = record
  const isChanging = [journal, journal?.parent].some((entry) => entry?.operation === 'change')
  return [
    ...recordedUnfinished(record),
    ...(isBootstrapped ? [] : [{ kind: 'creation' } as const]),
    ...(isChanging ? [{ kind: 'change' } as const] : []),
    ...(journal === undefined ? [] : [{ kind: 'other', operation: journal.operation } as const]),
  ]
}

/** Whether a change of a plane runs or was interrupted, even if nothing is left of it but to record its end. */
export function isHalfChanged(record: PlaneRecord): boolean {
  return unfinishedOf(record).some(({ kind }) => kind === 'change')
}

/** What `parseJournal` reads. */
export function formatJournal(journal: JournalEntry): string {
  const { formatVersion, writtenBy } = stampOf({ writtenBy: '' }, FORMAT_VERSION)
  return `${JSON.stringify({ formatVersion, writtenBy, ...journal })}\n`
}

/** Undefined if it is damaged. @throws {VplaneError} `FAILED` when it is of a newer vplane. */
export function parseJournal(text: string, source: string): JournalEntry | undefined {
  const value = parseNotes(text, { source, formatVersion: FORMAT_VERSION })
  return isJournalEntry(value) ? value : undefined
}

/** The same record for a plane that is to run. */
export function toRunning({
  idleSince: _former,
  neverStarted: _never,
  ...record
}: PlaneRecord): PlaneRecord {
  return { ...record, desired: 'running' }
}

/** The same record while the plane starts: until that has ended, it counts as one that has paused itself, which clients start. */
export function toStarting(record: PlaneRecord): PlaneRecord {
  const { createdAt, idleSince = isNeverStarted(record) ? createdAt : undefined } = record
  return { ...record, desired: 'running', ...omitUndefined({ idleSince }) }
}

/** @throws {VplaneError} `FAILED` when it is damaged or has a newer format. */
export function parsePlaneRecord(text: string, path: string): PlaneRecord {
  return parseStored(text, { source: path, formatVersion: FORMAT_VERSION }, isPlaneRecord)
}

const RECORD_FIELDS: FieldTypes = {
  isBootstrapped: 'boolean',
  ports: 'object',
  bootId: 'string',
}
const SPEC_FIELDS: FieldTypes = { authentication: 'object', featureGates: 'object' }

function isPlaneRecord(value: unknown): value is PlaneRecord {
  const restoring = fieldAt(value, 'restoring')
  return (
    isRecordedPlane(value) &&
    hasFields(value, RECORD_FIELDS) &&
    hasFields(fieldAt(value, 'spec'), SPEC_FIELDS) &&
    PORTS.every((name) => isPort(fieldAt(value, 'ports', name))) &&
    ['running', 'paused'].includes(String(fieldAt(value, 'desired'))) &&
    isOwner(fieldAt(value, 'owner')) &&
    isMachine(fieldAt(value, 'machine')) &&
    hasOptional(value, 'string', ['binDir']) &&
    (restoring === undefined || hasFields(restoring, { keepFormer: 'boolean' }))
  )
}

function isPort(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) > 0 && Number(value) < 65_536
}

function isMachine(value: unknown): boolean {
  return value === undefined || hasFields(value, { hostName: 'string', pidNamespace: 'string' })
}

function isOwner(value: unknown): boolean {
  return value === undefined || hasFields(value, { processId: 'number', startTime: 'string' })
}
