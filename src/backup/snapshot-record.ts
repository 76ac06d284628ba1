import { randomBytes } from 'node:crypto'
import type { SnapshotInfo, StoredSnapshot } from '../control-plane/driver/snapshot.ts'
import { isPodVolumes } from '../control-plane/driver/plane-pods.ts'
import { packageVersion } from '../shared/package-root.ts'
import { type FieldTypes, hasFields, isDate, parseStored } from '../shared/stored-format.ts'
import { fieldAt } from '../shared/json-fields.ts'
import { compactTime } from '../shared/text/compact-time.ts'

/** The format that this vplane writes; it reads every older format too. */
const FORMAT_VERSION = 1

/** The record of a snapshot, which a store writes beside its bytes. */
export function formatSnapshotRecord({ createdAt, ...info }: SnapshotInfo): string {
  const stored = { formatVersion: FORMAT_VERSION, writtenBy: packageVersion() }
  return `${JSON.stringify({ ...stored, ...info, createdAt: createdAt.toISOString() }, null, 2)}\n`
}

const FIELDS: FieldTypes = {
  formatVersion: 'number',
  plane: 'string',
  driver: 'string',
  kind: 'string',
  createdAt: 'string',
  revision: 'number',
  sizeBytes: 'number',
}

const OPTIONAL_TEXTS = ['namespace', 'backupOf', 'pauseOf', 'moveOf', 'planeId', 'format'] as const

/** @throws {VplaneError} `FAILED` when the record is damaged or of a newer format. */
export function parseSnapshotRecord(
  text: string,
  { id, source }: { id: string; source: string },
): StoredSnapshot {
  const value = parseStored(text, { source, formatVersion: FORMAT_VERSION }, isRecord)
  const volumes = fieldAt(value, 'volumes')
  const encryptionKeys = fieldAt(value, 'encryptionKeys')
  const texts = OPTIONAL_TEXTS.map((name) => [name, fieldAt(value, name)] as const)
  const { driver, kind, plane, revision, sizeBytes } = value
  return {
    id,
    plane,
    driver,
    kind,
    ...Object.fromEntries(texts.filter(([, text]) => typeof text === 'string')),
    ...(isTexts(encryptionKeys) ? { encryptionKeys } : {}),
    createdAt: new Date(value.createdAt),
    revision,
    sizeBytes,
    ...(isPodVolumes(volumes) ? { volumes } : {}),
  }
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}

function isRecord(
  value: unknown,
): value is Omit<SnapshotInfo, 'createdAt'> & { createdAt: string } {
  return (
    hasFields(value, FIELDS) &&
    isDate(fieldAt(value, 'createdAt')) &&
    ['kubernetes', 'local'].includes(String(fieldAt(value, 'driver'))) &&
    ['snapshot', 'bundle'].includes(String(fieldAt(value, 'kind')))
  )
}

const ID = /^[a-z0-9-]+-(\d{8})-(\d{6})-[0-9a-f]{4}$/

/** Creates the id of a snapshot: `dev-20260102-030405-1a2b`. */
export function snapshotIdOf({
  createdAt,
  plane,
}: Pick<SnapshotInfo, 'createdAt' | 'plane'>): string {
  const time = compactTime(createdAt).replace('T', '-')
  return `${plane}-${time}-${randomBytes(2).toString('hex')}`
}

/** Whether a text is an id and not a path: names of planes have no points or slashes. */
export function isSnapshotId(text: string): boolean {
  return ID.test(text)
}

/** When the snapshot of an id was taken, to the second; undefined when the text is not an id. */
export function timeOfSnapshotId(id: string): Date | undefined {
  const [, day, time] = ID.exec(id) ?? []
  if (day === undefined || time === undefined) {
    return undefined
  }
  const date = day.replace(/(....)(..)/, '$1-$2-')
  const moment = new Date(`${date}T${time.replace(/(..)(..)/, '$1:$2:')}Z`)
  return Number.isNaN(moment.getTime()) ? undefined : moment
}
