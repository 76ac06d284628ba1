import type { SnapshotInfo, StoredSnapshot } from '../control-plane/driver/snapshot.ts'
import { isPodVolumes } from '../control-plane/driver/plane-pods.ts'
import { packageVersion } from '../shared/package-root.ts'
import { damaged, type FieldTypes, hasFields, parseStored } from '../shared/stored-format.ts'
import { fieldAt } from '../shared/json-fields.ts'

/** The format this vplane writes; readers take all older ones. */
const FORMAT_VERSION = 1

/** The text that a store keeps beside the bytes of a snapshot. */
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

/**
 * Reads the text that a store keeps of a snapshot.
 *
 * @throws {VplaneError} `FAILED` when it is damaged or of a newer format.
 */
export function parseSnapshotRecord(
  text: string,
  { id, source }: { id: string; source: string },
): StoredSnapshot {
  const value = parseStored(text, { source, formatVersion: FORMAT_VERSION })
  const createdAt = new Date(String(fieldAt(value, 'createdAt')))
  const namespace = fieldAt(value, 'namespace')
  const backupOf = fieldAt(value, 'backupOf')
  const volumes = fieldAt(value, 'volumes')
  const planeId = fieldAt(value, 'planeId')
  const encryptionKeys = fieldAt(value, 'encryptionKeys')
  const pauseOf = fieldAt(value, 'pauseOf')
  const moveOf = fieldAt(value, 'moveOf')
  if (!isRecord(value) || Number.isNaN(createdAt.getTime())) {
    throw damaged({ source })
  }
  const { driver, kind, plane, revision, sizeBytes } = value
  return {
    id,
    plane,
    driver,
    kind,
    ...(typeof namespace === 'string' ? { namespace } : {}),
    ...(typeof backupOf === 'string' ? { backupOf } : {}),
    ...(typeof pauseOf === 'string' ? { pauseOf } : {}),
    ...(typeof moveOf === 'string' ? { moveOf } : {}),
    ...(typeof planeId === 'string' ? { planeId } : {}),
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
