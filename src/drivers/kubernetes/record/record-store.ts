import { deletedMeanwhile } from '../../../control-plane/plane/deleted-meanwhile.ts'
import { textAt } from '../../../shared/json-fields.ts'
import type { Manifest } from '../../../manifests/manifest.ts'
import { MANAGED_BY, objectLabels, PLANE_LABEL } from '../../../manifests/object-names.ts'
import { VplaneError } from '../../../shared/errors.ts'
import { stampOf } from '../../../shared/stored-format.ts'
import { collectionPath, objectPath } from '../../../shared/kube/collections.ts'
import type { HostApi } from '../host/host-api.ts'
import { type PlacedName, RECORD_TYPE, recordName } from '../context/object-names.ts'
import { FORMAT_VERSION, parsePlaneRecord, type PlaneRecord } from './plane-record.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'

export interface StoredRecord extends PlacedName {
  /** Or why it cannot be read. */
  record: PlaneRecord | VplaneError
  uid: string
  /** The host refuses a write with another version than the current one: this is the fence. */
  resourceVersion: string
}

export interface ReadableRecord extends StoredRecord {
  record: PlaneRecord
}

/** All others can only be deleted. */
export function isReadableRecord(stored: StoredRecord): stored is ReadableRecord {
  return !(stored.record instanceof VplaneError)
}

/** @throws {VplaneError} why the record cannot be read. */
export function toReadable(stored: StoredRecord): ReadableRecord {
  if (isReadableRecord(stored)) {
    return stored
  }
  throw stored.record
}

/** @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND` when deleted, `FAILED` when not readable. */
export function presentRecord(
  stored: StoredRecord | undefined,
  { id, name }: { id: string; name: string },
): ReadableRecord {
  const found = stored && toReadable(stored)
  if (found === undefined || found.record.id !== id || found.record.desired === 'kept') {
    throw deletedMeanwhile(name)
  }
  return found
}

/** @throws {VplaneError} `CONFLICT` when vplane did not create the Secret of that name. */
export async function readRecord(
  api: Pick<HostApi, 'get'>,
  place: PlacedName,
  { signal }: { signal: AbortSignal },
): Promise<StoredRecord | undefined> {
  const secret = await api.get(recordPath(place), { signal })
  if (secret === undefined) {
    return undefined
  }
  if (!isRecordSecret(secret)) {
    throw new VplaneError(
      'CONFLICT',
      `vplane did not create the Secret "${recordName(place.name)}" in namespace "${place.namespace}"`,
      { hints: ['choose another name for the plane, or another namespace'] },
    )
  }
  return toStored(secret)
}

/** Undefined for Secrets that are no record. */
export function storedRecordOf(secret: KubeObject): StoredRecord | undefined {
  return isRecordSecret(secret) ? toStored(secret) : undefined
}

/** @throws {VplaneError} `CONFLICT` when a record exists. */
export async function addRecord(
  api: Pick<HostApi, 'create'>,
  place: PlacedName,
  { record, signal }: { record: PlaneRecord; signal: AbortSignal },
): Promise<ReadableRecord> {
  const path = collectionPath('secrets', place.namespace)
  const secret = await api.create(path, toRecordSecret(place, record), { signal })
  return { ...toStored(secret), record: stamped(record) }
}

/** @throws {VplaneError} `CONFLICT` when it was changed since, `NOT_FOUND` when deleted. */
export async function replaceRecord(
  api: Pick<HostApi, 'replace'>,
  stored: StoredRecord,
  { record, signal }: { record: PlaneRecord; signal: AbortSignal },
): Promise<ReadableRecord> {
  const { resourceVersion, uid } = stored
  const secret = toRecordSecret(stored, record)
  const versioned = { ...secret, metadata: { ...secret.metadata, resourceVersion, uid } }
  const answer = await api.replace(recordPath(stored), versioned, { signal })
  return { ...toStored(answer), record: stamped(record) }
}

/** The file with the record of the binary at `path`. */
export function recordPath({ name, namespace }: PlacedName): string {
  return objectPath('secrets', { name: recordName(name), namespace })
}

function isRecordSecret({ metadata, type }: KubeObject): boolean {
  return (
    type === RECORD_TYPE &&
    metadata.labels?.[MANAGED_BY] === 'vplane' &&
    metadata.name === recordName(metadata.labels[PLANE_LABEL] ?? '')
  )
}

function toStored(secret: KubeObject): StoredRecord {
  const { labels, namespace = '', resourceVersion = '', uid = '' } = secret.metadata
  const name = labels?.[PLANE_LABEL] ?? ''
  return { name, namespace, uid, resourceVersion, record: recordOf(secret, name) }
}

function recordOf({ data, metadata }: KubeObject, name: string): PlaneRecord | VplaneError {
  const source = `the Secret "${metadata.name}" in namespace "${metadata.namespace}"`
  const text = textAt(data, 'record') ?? ''
  try {
    const record = parsePlaneRecord(Buffer.from(text, 'base64').toString('utf8'), source)
    return record.name === name
      ? record
      : new VplaneError('FAILED', `${source} is of a plane named "${record.name}", not "${name}"`)
  } catch (error) {
    if (error instanceof VplaneError) {
      return error
    }
    throw error
  }
}

/** Returns the Secret with a record. It has the labels of the plane. */
export function toRecordSecret({ name, namespace }: PlacedName, record: PlaneRecord): Manifest {
  const text = JSON.stringify(stamped(record))
  const labels = { ...record.userSpec.labels, ...objectLabels(name) }
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: recordName(name), namespace, labels },
    type: RECORD_TYPE,
    data: { record: Buffer.from(text).toString('base64') },
  }
}

function stamped(record: PlaneRecord): PlaneRecord {
  const { madeBy: _, ...rest } = record
  return { ...rest, ...stampOf(record, FORMAT_VERSION) }
}
