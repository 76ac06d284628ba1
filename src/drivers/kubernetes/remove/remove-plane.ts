import { deletedMeanwhile } from '../../../control-plane/plane/deleted-meanwhile.ts'
import type { Leftover, RemoveOptions } from '../../../control-plane/driver/driver.ts'
import type { Operation } from '../../../control-plane/driver/operation.ts'
import { VplaneError } from '../../../shared/errors.ts'
import type { Host, KubernetesContext } from '../context/context.ts'
import { Journal } from '../record/journal.ts'
import { acquireLease, tryLease } from '../record/plane-lease.ts'
import type { PlacedName } from '../context/object-names.ts'
import { isReadableRecord, readRecord, type StoredRecord } from '../record/record-store.ts'
import { CLUSTER_WIDE, lockPath, planeInventory } from '../namespace/inventory.ts'
import { keepData } from './keep-data.ts'
import { removeObjects } from './remove-objects.ts'
import { endNamespace, namespaceEnd, type NamespaceFate } from './remove-namespace.ts'
import { retainedVolumes, volumesOf } from './retained-volumes.ts'

/** How long all of it may take, in milliseconds. */
const TIMEOUT_MS = 180_000

/** How long nothing may change before what is left is given up, in milliseconds. */
const PATIENCE_MS = 12_000

export interface RemovedPlane extends PlacedName {
  /** A plane that was created again under the name is another one; undefined when nobody knows. */
  id?: string
}

export interface Removal extends Operation, RemoveOptions {
  /** How long nothing may change before what is left is given up, in milliseconds. @default 12_000 */
  patienceMs?: number
}

/**
 * Removes everything of a plane from the host, looks whether it is gone, and returns what is not. The namespace goes too
 * when vplane made it and nothing else is in it.
 *
 * @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND` when another plane has its name now, `USAGE` when there is no data to be
 *   kept, `TIMED_OUT`, `CONFLICT` when others work on it.
 */
export async function removePlane(
  context: Pick<KubernetesContext, 'host' | 'now'>,
  plane: RemovedPlane,
  operation: Removal,
): Promise<Leftover[]> {
  const { api } = await context.host()
  const { signal, ui } = operation
  const place = { name: plane.name, namespace: plane.namespace }
  const stored = await readRecord(api, place, { signal })
  refuseAnother(stored, plane)
  if (stored === undefined && (await isGone(api, place, signal))) {
    await removeLock(api, place, { now: context.now, signal })
    return []
  }
  ui.step(`Removing "${place.name}"`)
  return operation.keepData
    ? keepData(context, { place, stored }, operation)
    : removeAll({ api, now: context.now, place, plane, stored }, operation)
}

interface RemovedParts {
  api: Host['api']
  now: () => Date
  place: PlacedName
  plane: RemovedPlane
  stored: StoredRecord | undefined
}

async function removeAll(
  { api, now, place, plane, stored }: RemovedParts,
  { patienceMs = PATIENCE_MS, signal, timeoutMs = TIMEOUT_MS, ui }: Removal,
): Promise<Leftover[]> {
  await using hold = await holdUnlessEnding(api, place, { now, signal, ui })
  const current = hold === undefined ? stored : await readRecord(api, place, { signal })
  refuseAnother(current, plane)
  const journal =
    hold !== undefined && current !== undefined && isReadableRecord(current)
      ? new Journal(api, { lease: hold, stored: current, operation: 'remove', now, signal })
      : undefined
  await journal?.step('removing all of it')
  const volumes = await volumesOf(api, place, signal)
  let fate: NamespaceFate | undefined
  // Once the pods are told to end soon: the host would give them all their time, and look again when half of it is over.
  const endOnce = async () => (fate ??= await endNamespace(api, place, { isKept: false, signal }))
  const leftovers = await removeObjects(api, place, {
    collections: collectionsOf(stored),
    isSynced: mayBeSynced(stored),
    patienceMs,
    beforeStep: async () => {
      // The host empties a namespace that ends: what it takes is no sign of another vplane.
      if (fate?.is !== 'ending') {
        await journal?.step('removing all of it')
      }
    },
    afterStep: async () => void (await endOnce()),
    timeoutMs,
    signal,
  })
  leftovers.push(...(await retainedVolumes(api, volumes, signal)))
  const end = await endOnce()
  if (end.is === 'ending') {
    return [...leftovers, ...(await namespaceEnd(api, place.namespace, { signal, timeoutMs }))]
  }
  return end.is === 'kept' ? [...leftovers, end.leftover] : leftovers
}

/** A removal that was cut off, or an undo of it by hand, may leave objects without a record. */
async function isGone(api: Host['api'], place: PlacedName, signal: AbortSignal): Promise<boolean> {
  return (
    (await planeInventory(api, place, { collections: CLUSTER_WIDE, isSynced: true, signal }))
      .length === 0
  )
}

/** A vplane that died may have left its Lease, and nothing else. */
async function removeLock(
  api: Host['api'],
  place: PlacedName,
  { now, signal }: Pick<RemovedParts, 'now'> & { signal: AbortSignal },
): Promise<void> {
  if ((await api.get(lockPath(place), { signal })) !== undefined) {
    await using _released = await tryLease(api, { ...place, now, signal })
  }
}

/** Nobody can hold a plane in a namespace that is being deleted, and nobody can make anything there either. */
async function holdUnlessEnding(
  api: Host['api'],
  place: PlacedName,
  { now, signal, ui }: Pick<RemovedParts, 'now'> & Pick<Operation, 'signal' | 'ui'>,
) {
  const onWait = () => ui.step(`Waiting for another vplane that works on "${place.name}"`)
  try {
    return await acquireLease(api, { ...place, now, signal, onWait })
  } catch (error) {
    if (error instanceof VplaneError && error.message.includes('being terminated')) {
      return undefined
    }
    throw error
  }
}

function refuseAnother(stored: StoredRecord | undefined, { id, name }: RemovedPlane): void {
  const isKnown = stored !== undefined && isReadableRecord(stored)
  if (isKnown && id !== undefined && stored.record.id !== id) {
    throw deletedMeanwhile(name)
  }
}

/** Nobody knows it of a plane whose record is gone or cannot be read. */
function mayBeSynced(stored: StoredRecord | undefined): boolean {
  return (
    stored === undefined || !isReadableRecord(stored) || stored.record.spec.host?.sync !== undefined
  )
}

/** Nobody knows it of a plane whose record is gone or cannot be read: it may be all that there can be. */
function collectionsOf(stored: StoredRecord | undefined): readonly string[] {
  return stored !== undefined && isReadableRecord(stored)
    ? (stored.record.collections ?? [])
    : CLUSTER_WIDE
}
