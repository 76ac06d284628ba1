import type { Leftover } from '../../../control-plane/driver/driver.ts'
import { notDeleted, withoutRecord } from '../../../control-plane/store/not-deleted.ts'
import { sharedEtcdOf } from '../../../control-plane/store/store.ts'
import type { EtcdConnection } from '../../../etcd/etcd-connection.ts'
import { deleteKeys } from '../../../etcd/shared/delete-keys.ts'
import { deleteUser } from '../../../etcd/shared/etcd-users.ts'
import { hasKeys } from '../../../etcd/shared/has-keys.ts'
import { leftKeys } from '../../../etcd/shared/left-keys.ts'
import {
  type HostedSharedEtcd,
  hostedSharedEtcd,
  SHARED_ETCD_FILES,
} from '../../../manifests/shared-etcd-files.ts'
import type { Host } from '../context/context.ts'
import type { RemoveDatabaseOptions } from '../database/remove-database.ts'
import { readKeys } from '../objects/plane-keys.ts'
import type { Journal } from '../record/journal.ts'
import type { PlaneRecord } from '../record/plane-record.ts'
import { stopComponents } from '../workloads/stop-components.ts'
import { readEtcdOwner } from './etcd-owner.ts'
import { openSharedEtcd } from './open-shared-etcd.ts'

/**
 * Deletes the keys of a plane in a shared etcd and the user that vplane has made, before anything else is deleted, and returns
 * those that it leaves. Before it stops anything, it connects to the etcd.
 *
 * @throws {VplaneError} `UNREACHABLE` without the etcd, and `FAILED` if it refuses or without the record of the plane, all with
 * what to do.
 */
export async function removeKeys(
  host: Host,
  journal: Pick<Journal, 'step'> | undefined,
  { leaveData = false, operation, place, record }: RemoveDatabaseOptions,
): Promise<Leftover[]> {
  if (record === undefined) {
    return removeUnknown(host, { leaveData, operation, place })
  }
  const facts = hostedSharedEtcd({ ...record, ...place })
  // Without a check, keys below the prefix may be those of others.
  if (facts === undefined || record.ownsPrefix !== true) {
    return []
  }
  if (leaveData) {
    return [leftKeys(facts)]
  }
  await using owner = await connectAsOwner(host, { facts, operation, place, record })
  if (journal !== undefined) {
    const components = ['kube-apiserver'] as const
    await stopComponents(host.api, journal, { place, components, operation })
  }
  const { prefix, user } = facts
  const { signal, ui } = operation
  ui.step(`Deleting the keys below ${prefix}`)
  try {
    await deleteKeys(owner.connection, prefix, signal)
    if (user !== undefined) {
      await deleteUser(owner.connection, user, signal)
    }
  } catch (error) {
    throw notDeleted(place, error, 'keys')
  }
  return []
}

/** Only its files tell that a plane without a readable record has keys in a shared etcd. */
async function removeUnknown(
  { api }: Pick<Host, 'api'>,
  { leaveData, operation, place }: Omit<RemoveDatabaseOptions, 'record'>,
): Promise<Leftover[]> {
  const files = await readKeys(api, place, operation.signal)
  if (files[SHARED_ETCD_FILES.authorities] === undefined) {
    return []
  }
  const what = `the keys of "${place.name}" in a shared etcd`
  if (leaveData !== true) {
    throw notDeleted(place, withoutRecord(what), 'keys')
  }
  return [{ what, why: 'its data is left', isKept: true }]
}

async function connectAsOwner(
  host: Host,
  {
    facts,
    operation,
    place,
    record,
  }: RemoveDatabaseOptions & { facts: HostedSharedEtcd; record: PlaneRecord },
): Promise<{ connection: EtcdConnection } & AsyncDisposable> {
  await using stack = new AsyncDisposableStack()
  const { signal } = operation
  const { namespace } = place
  try {
    const shared = sharedEtcdOf(record.spec) ?? {}
    const owner = await readEtcdOwner(host.api, { namespace, shared, signal })
    const relay = stack.use(await openSharedEtcd(host, { place, record, facts, operation }))
    const connection = await relay.as(owner)
    await hasKeys(connection, { ...facts, signal })
    const owned = stack.move()
    return { connection, [Symbol.asyncDispose]: () => owned.disposeAsync() }
  } catch (error) {
    throw notDeleted(place, error, 'keys')
  }
}
