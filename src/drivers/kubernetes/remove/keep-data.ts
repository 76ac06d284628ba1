import type { Leftover } from '../../../control-plane/driver/driver.ts'
import type { Operation } from '../../../control-plane/driver/operation.ts'
import { componentsOf } from '../../../control-plane/plane/plane.ts'
import { VplaneError } from '../../../shared/errors.ts'
import { isCredentialOf } from '../../../manifests/credentials/credential-secret.ts'
import type { KubernetesContext } from '../context/context.ts'
import { isSynced, RECORD_TYPE, type PlacedName } from '../context/object-names.ts'
import { endKeeper } from '../keeper/end-keeper.ts'
import { mayBeKept } from '../keeper/is-kept.ts'
import { removeAllCredentials } from '../objects/credential-secrets.ts'
import { holdPlane } from '../record/hold-plane.ts'
import type { PlaneRecord } from '../record/plane-record.ts'
import { stopComponents } from '../workloads/stop-components.ts'
import { isReadableRecord, type StoredRecord } from '../record/record-store.ts'
import { type FoundObject, planeInventory } from '../namespace/inventory.ts'
import { titleOf } from '../namespace/leftovers.ts'
import { removeObjects } from './remove-objects.ts'

/**
 * Deletes a plane except its volumes, keys and record. Returns the volumes, or what could not be deleted.
 *
 * @throws {VplaneError} `USAGE` when the plane is ephemeral or its record cannot be read.
 */
export async function keepData(
  { host, now }: Pick<KubernetesContext, 'host' | 'now'>,
  { place, stored }: { place: PlacedName; stored: StoredRecord | undefined },
  operation: Operation & { patienceMs: number },
): Promise<Leftover[]> {
  const { api } = await host()
  const { name } = place
  if (stored === undefined || !isReadableRecord(stored)) {
    throw new VplaneError(
      'USAGE',
      `the stored state of "${name}" cannot be read: its data cannot be kept`,
      { hints: [{ action: 'delete', plane: { name } }] },
    )
  }
  let { record } = stored
  if (record.spec.ephemeral) {
    throw new VplaneError('USAGE', `"${name}" is ephemeral: it has no data that could be kept`, {
      hints: [{ action: 'delete', plane: { name } }],
    })
  }
  const { patienceMs, signal, timeoutMs } = operation
  if (record.desired !== 'kept') {
    const { id } = record
    await using held = await holdPlane({ api }, { place, id, operation: 'remove', now }, operation)
    const { journal } = held
    record = journal.record
    // Stopped in the order of a pause, so that etcd and the pods that the plane runs can finish their writes.
    await stopComponents(api, journal, { place, components: componentsOf(record.spec), operation })
    let credentials: Leftover[] = []
    const leftovers = await removeObjects(api, place, {
      ...ownedBy(record),
      isKept: (found) => isKept(found, name),
      beforeStep: async () => {
        await journal.step('removing all but its data')
        credentials = await removeAllCredentials(api, { place, record, signal })
      },
      patienceMs,
      timeoutMs,
      signal,
    })
    leftovers.push(...credentials)
    await (mayBeKept(record) && endKeeper(api, place.namespace, signal))
    if (leftovers.some(({ isKept: isMeant }) => isMeant !== true)) {
      return leftovers
    }
    await journal.finish({ desired: 'kept', isComplete: false })
  }
  const left = await planeInventory(api, place, { ...ownedBy(record), signal })
  return left.filter(isVolume).map(({ object }) => ({
    what: titleOf(object),
    why: 'kept: the plane can be created again with it',
    isKept: true,
  }))
}

function ownedBy({ collections = [], spec }: PlaneRecord) {
  return { collections, isSynced: spec.host?.sync !== undefined }
}

/** Whether an object is a volume claim, a Secret with keys, or the record. */
function isKept(found: FoundObject, plane: string): boolean {
  const { kind, type } = found.object
  const isState = kind === 'Secret' && (type === 'Opaque' || type === RECORD_TYPE)
  const isOther = isSynced(found.object, plane) || isCredentialOf(found.object, plane)
  return isVolume(found) || (isState && !isOther)
}

function isVolume({ object }: FoundObject): boolean {
  return object.kind === 'PersistentVolumeClaim'
}
