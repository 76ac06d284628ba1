import type { LookupScope } from '../../../control-plane/driver/driver.ts'
import { ownNamespaceOf } from '../../../control-plane/plane/names.ts'
import { httpStatusOf } from '../../../kube/kube-error.ts'
import { collectionPath } from '../../../shared/kube/collections.ts'
import type { HostApi } from '../host/host-api.ts'
import { type PlacedName, planeSelector, RECORD_TYPE } from '../context/object-names.ts'
import { unlessRefused } from '../host/unless-refused.ts'
import { isReadableRecord, recordPath, type StoredRecord, storedRecordOf } from './record-store.ts'
import type { UnreadablePlane } from '../../../control-plane/plane/unreadable-plane.ts'
import type { Plane } from '../../../control-plane/plane/plane.ts'
import { messageOf } from '../../../shared/errors.ts'
import type { Host } from '../context/context.ts'
import { toPlane } from './plane-record.ts'

export interface RecordScope extends LookupScope {
  /** @default planes of every name */
  name?: string
}

/**
 * Lists the records that the user may read: those of `namespace`, or of all namespaces. Without permission for all,
 * lists those of the current namespace, of the default namespace for `name`, and of the likely ones.
 *
 * @throws {VplaneError} the refusal of the host when none may be read, or `UNREACHABLE`.
 */
export async function listRecords(
  { api, namespace: current }: { api: Pick<HostApi, 'get' | 'list'>; namespace: string },
  { ignoresForbidden = false, likelyNamespaces, name, namespace, signal, ui }: RecordScope,
): Promise<StoredRecord[]> {
  const options = {
    labelSelector: name === undefined ? planeSelector() : planeSelector(name),
    fieldSelector: `type=${RECORD_TYPE}`,
    signal,
  }
  const list = async (place?: string) =>
    (await api.list(collectionPath('secrets', place), options)).items.flatMap(
      (secret) => storedRecordOf(secret) ?? [],
    )
  const one = async (place: PlacedName) => {
    const secret = await api.get(recordPath(place), { signal })
    const stored = secret && storedRecordOf(secret)
    return stored === undefined ? [] : [stored]
  }
  if (namespace !== undefined) {
    // Its Secret has a name of its own: the host need not look through all of the namespace.
    const records = name === undefined ? list(namespace) : one({ name, namespace })
    return ignoresForbidden ? ((await unlessRefused(records)) ?? []) : records
  }
  try {
    return await list()
  } catch (error) {
    if (httpStatusOf(error) !== 403) {
      throw error
    }
  }
  const own = name === undefined ? [] : [ownNamespaceOf(name)]
  const likely = (await likelyNamespaces?.()) ?? []
  const lists = await Promise.all(
    [...new Set([current, ...own, ...likely])].map(async (place) => {
      const records = await unlessRefused(list(place))
      return records === undefined ? [] : [{ place, records }]
    }),
  )
  const readable = lists.flat()
  if (readable.length === 0 && !ignoresForbidden) {
    // Fails with the host's own message.
    return list(current)
  }
  if (readable.length > 0) {
    ui?.note(`${inWords(readable.map(({ place }) => place))} searched`, {
      purpose: 'for another one',
      namespace: 'NAMESPACE',
    })
  }
  return readable.flatMap(({ records }) => records)
}

function inWords(namespaces: readonly string[]): string {
  const names = namespaces.map((name) => `"${name}"`)
  return names.length > 1
    ? `Only the namespaces ${names.join(', ')} were`
    : `Only namespace ${names.join('')} was`
}

/** Converts a stored record to a plane, or to an unreadable plane with the reason. */
export function toListed(
  stored: StoredRecord,
  { context: hostContext }: Pick<Host, 'context'>,
): Plane | UnreadablePlane {
  const { name, namespace } = stored
  const reference = { name, driver: 'kubernetes', namespace, hostContext } as const
  if (!isReadableRecord(stored)) {
    return { ...reference, reason: messageOf(stored.record) }
  }
  const { record } = stored
  if (record.desired === 'kept') {
    return { ...reference, reason: 'it was deleted and its data kept', isKept: true }
  }
  return toPlane(record, { namespace, hostContext })
}
