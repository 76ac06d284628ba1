import type { SnapshotInfo, StoredSnapshot } from '../control-plane/driver/snapshot.ts'
import { isPodVolumes } from '../control-plane/driver/plane-pods.ts'
import { packageVersion } from '../shared/package-root.ts'
import { damaged, type FieldTypes, hasFields, parseStored } from '../shared/stored-format.ts'
import { fieldAt } from '../shared/json-fields.ts'

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

/** The optional texts, in the order of `StoredSnapshot`. */
const OPTIONAL_TEXTS = ['namespace', 'backupOf', 'pauseOf', 'moveOf', 'planeId'] as const

/**
 * Reads the record of a snapshot.
 *
 * @throws {VplaneError} `FAILED` when it is damaged or of a newer format.
 */
export function parseSnapshotRecord(
  text: string,
  { id, source }: { id: string; source: string },
): StoredSnapshot {
  const value = parseStored(text, { source, formatVersion: FORMAT_VERSION })
  const createdAt = new Date(String(fieldAt(value, 'createdAt')))
  const volumes = fieldAt(value, 'volumes')
  const encryptionKeys = fieldAt(value, 'encryptionKeys')
  const texts = OPTIONAL_TEXTS.map((name) => [name, fieldAt(value, name)] as const)
  if (!isRecord(value) || Number.isNaN(createdAt.getTime())) {
    throw damaged({ source })
  }
  const { driver, kind, plane, revision, sizeBytes } = value
  return {
    id,
    plane,
    driver,
    kind,
    ...Object.fromEntries(texts.filter(([, text]) => typeof text === 'string')),
    ...(isTexts(encryptionKeys) ? { encryptionKeys } : {}),
    createdAt,
    revision,
    sizeBytes,
    ...(isPodVolumes(volumes) ? { volumes } : {}),
  }
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}

function isRecord(value: unknown): value is Omit<SnapshotInfo, 'createdAt'> {
  return (
    hasFields(value, FIELDS) &&
    ['kubernetes', 'local'].includes(String(fieldAt(value, 'driver'))) &&
    ['snapshot', 'bundle'].includes(String(fieldAt(value, 'kind')))
  )
}
