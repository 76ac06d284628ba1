import { deletedMeanwhile } from '../../../control-plane/plane/deleted-meanwhile.ts'
import type { Leftover, RemoveOptions } from '../../../control-plane/driver/driver.ts'
import type { Operation } from '../../../control-plane/driver/operation.ts'
import { fieldAt, textAt } from '../../../shared/json-fields.ts'
import { objectPath } from '../../../shared/kube/collections.ts'
import type { Host, KubernetesContext } from '../context/context.ts'
import { Journal } from '../record/journal.ts'
import type { PlaneRecord } from '../record/plane-record.ts'
import { acquireLease, isTerminating, tryLease } from '../record/plane-lease.ts'
import type { PlacedName } from '../context/object-names.ts'
import { unlessRefused } from '../host/unless-refused.ts'
import { isReadableRecord, readRecord, type StoredRecord } from '../record/record-store.ts'
import {
  type FoundObject,
  lockPath,
  planeInventory,
  recordedCollections,
} from '../namespace/inventory.ts'
import { titleOf } from '../namespace/leftovers.ts'
import { endKeeper } from '../keeper/end-keeper.ts'
import { mayBeKept } from '../keeper/is-kept.ts'
import { removeAllCredentials } from '../objects/credential-secrets.ts'
import { removeDatabase } from '../database/remove-database.ts'
import { removeKeys } from '../shared-etcd/remove-keys.ts'
import { keepData } from './keep-data.ts'
import { removeObjects } from './remove-objects.ts'
import {
  endNamespace,
  namespaceEnd,
  type NamespaceFate,
  type StayingPlanes,
} from './remove-namespace.ts'

/** How long the host may take to delete the namespace afterwards, in milliseconds. */
const NAMESPACE_TIMEOUT_MS = 180_000

/** How long nothing may change before the deletion gives up, in milliseconds. */
const PATIENCE_MS = 12_000

export interface RemovedPlane extends PlacedName {
  /** A plane that was created again under the name has another id; undefined when it is not known. */
  id?: string
}

export interface Removal extends Operation, RemoveOptions {
  /** @default 12_000 */
  patienceMs?: number
  /** Shared by all removals of a command. @default none is known */
  staying?: StayingPlanes
}

/**
 * Deletes all objects of a plane from the host, and returns those that still exist. Also deletes the namespace if
 * vplane created it and it has no other objects.
 *
 * @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND` when another plane has its name now, `USAGE` when it has no data to
 * retain, `TIMED_OUT`, `CONFLICT` when another vplane works on it.
 */
export async function removePlane(
  context: Pick<KubernetesContext, 'databases' | 'host' | 'now'>,
  plane: RemovedPlane,
  operation: Removal,
): Promise<Leftover[]> {
  const host = await context.host()
  const { api } = host
  const { signal, ui } = operation
  const place = { name: plane.name, namespace: plane.namespace }
  const stored = await readRecord(api, place, { signal })
  refuseAnother(stored, plane)
  if (stored === undefined && (await isGone(api, place, signal))) {
    await operation.whenCertain?.()
    await removeLock(api, place, { now: context.now, signal })
    return []
  }
  ui.step(`Removing "${place.name}"`)
  if (!operation.keepData) {
    return removeAll({ ...context, host, place, plane, stored }, operation)
  }
  const kept = { patienceMs: PATIENCE_MS, ...operation }
  const leftovers = await keepData(context, { place, stored }, kept)
  await operation.whenCertain?.()
  return leftovers
}

interface RemovedParts extends Pick<KubernetesContext, 'databases' | 'now'> {
  host: Host
  place: PlacedName
  plane: RemovedPlane
  stored: StoredRecord | undefined
}

async function removeAll(parts: RemovedParts, operation: Removal): Promise<Leftover[]> {
  const { place } = parts
  const { api } = parts.host
  const { signal, timeoutMs } = operation
  const { isEnding, leftovers } = await removeParts(parts, operation)
  // Decided again without the Lease: of planes that are deleted together, the last one sees an empty namespace.
  const end = isEnding ? { is: 'ending' as const } : await endNamespace(api, place, operation)
  if (end.is === 'ending') {
    const options = { signal, timeoutMs: timeoutMs ?? NAMESPACE_TIMEOUT_MS }
    return [...leftovers, ...(await namespaceEnd(api, place.namespace, options))]
  }
  return end.is === 'kept' ? [...leftovers, end.leftover] : leftovers
}

/** Deletes the objects of a plane while it holds it, and possibly its namespace. */
async function removeParts(
  { databases, host, now, place, plane, stored }: RemovedParts,
  { leaveData, patienceMs = PATIENCE_MS, signal, staying, timeoutMs, ui, whenCertain }: Removal,
): Promise<{ isEnding: boolean; leftovers: Leftover[] }> {
  const { api } = host
  await using hold = await holdUnlessEnding(api, place, { now, signal, ui })
  const current = hold === undefined ? stored : await readRecord(api, place, { signal })
  refuseAnother(current, plane)
  // Another vplane may have changed it before it gave up the Lease.
  const record = recordIn(current ?? stored)
  const journal =
    hold !== undefined && current !== undefined && isReadableRecord(current)
      ? new Journal(api, { lease: hold, stored: current, operation: 'remove', now, signal })
      : undefined
  const removed = { place, record, leaveData, operation: { signal, ui } }
  const leftData = [
    ...(await removeDatabase({ databases, host }, journal, removed)),
    ...(await removeKeys(host, journal, removed)),
  ]
  await whenCertain?.()
  const volumes = new Set<string>()
  let fate: NamespaceFate | undefined
  let credentials: Leftover[] = []
  // After the pods are deleted with a short grace period: the host would grant them the whole one, and check the
  // namespace again only after half of it.
  const endOnce = async () => (fate ??= await endNamespace(api, place, { signal, staying }))
  // After the settings of the plane are deleted. Of planes that are deleted together, the last one sees none.
  let ending: Promise<void> | undefined
  const endKeeperOnce = () => (ending ??= endKeeper(api, place.namespace, signal))
  const leftovers = await removeObjects(api, place, {
    // Without a readable record, all that a plane may have.
    collections:
      record === undefined ? recordedCollections(place.namespace) : (record.collections ?? []),
    isSynced: record === undefined || record.spec.host?.sync !== undefined,
    patienceMs,
    onFound: (found) => volumesOf(found).forEach((volume) => volumes.add(volume)),
    beforeStep: async () => {
      // The host deletes the record with the namespace, which does not mean that another vplane has deleted it.
      if (fate?.is !== 'ending') {
        await journal?.step('removing all of it')
      }
      // Each time, since the keeper may write some as long as it runs.
      credentials = await removeAllCredentials(api, { place, record, signal })
    },
    afterStep: async () => {
      await (mayBeKept(record) && endKeeperOnce())
      await endOnce()
    },
    timeoutMs,
    signal,
  })
  leftovers.push(...leftData, ...credentials, ...(await retainedVolumes(api, [...volumes], signal)))
  return { isEnding: (await endOnce()).is === 'ending', leftovers }
}

/** Whether no object exists either: an interrupted or manual deletion may leave objects without a record. */
async function isGone(api: Host['api'], place: PlacedName, signal: AbortSignal): Promise<boolean> {
  const collections = recordedCollections(place.namespace)
  const options = { collections, isSynced: true, signal }
  return (await planeInventory(api, place, options)).length === 0
}

/** Deletes the Lease, which may remain alone after a vplane was killed. */
async function removeLock(
  api: Host['api'],
  place: PlacedName,
  { now, signal }: Pick<RemovedParts, 'now'> & { signal: AbortSignal },
): Promise<void> {
  if ((await api.get(lockPath(place), { signal })) !== undefined) {
    await using _released = await tryLease(api, { ...place, now, signal })
  }
}

/** Undefined in a namespace that is being deleted, in which no Lease can be created. */
async function holdUnlessEnding(
  api: Host['api'],
  place: PlacedName,
  { now, signal, ui }: Pick<RemovedParts, 'now'> & Pick<Operation, 'signal' | 'ui'>,
) {
  try {
    return await acquireLease(api, { ...place, now, signal, ui })
  } catch (error) {
    if (isTerminating(error)) {
      return undefined
    }
    throw error
  }
}

function refuseAnother(stored: StoredRecord | undefined, { id, name }: RemovedPlane): void {
  const record = recordIn(stored)
  if (record !== undefined && id !== undefined && record.id !== id) {
    throw deletedMeanwhile(name)
  }
}

function recordIn(stored: StoredRecord | undefined): PlaneRecord | undefined {
  return stored !== undefined && isReadableRecord(stored) ? stored.record : undefined
}

/** PersistentVolumes, also those of the pods that the plane runs. */
function volumesOf(found: readonly FoundObject[]): string[] {
  return found
    .filter(({ object }) => object.kind === 'PersistentVolumeClaim')
    .flatMap(({ object }) => textAt(object, 'spec', 'volumeName') ?? [])
}

/** By their reclaim policy; none when the user may not read volumes. */
async function retainedVolumes(
  api: Host['api'],
  names: readonly string[],
  signal: AbortSignal,
): Promise<Leftover[]> {
  const volumes = await Promise.all(
    names.map((name) =>
      unlessRefused(api.get(objectPath('persistentvolumes', { name }), { signal })),
    ),
  )
  return volumes
    .filter((volume) => volume !== undefined)
    .filter((volume) => fieldAt(volume, 'spec', 'persistentVolumeReclaimPolicy') === 'Retain')
    .map((volume) => ({
      what: titleOf(volume),
      why: 'its reclaim policy is Retain, so it still has the data',
      isKept: true,
    }))
}
