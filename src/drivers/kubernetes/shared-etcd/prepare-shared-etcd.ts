import type { Operation } from '../../../control-plane/driver/operation.ts'
import { sharedEtcdOf } from '../../../control-plane/store/store.ts'
import { refuseMissing, refuseOpen, refuseTaken } from '../../../etcd/shared/check-keys.ts'
import { ensureUser } from '../../../etcd/shared/etcd-users.ts'
import { hostedSharedEtcd } from '../../../manifests/shared-etcd-files.ts'
import { messageOf } from '../../../shared/errors.ts'
import type { Host } from '../context/context.ts'
import type { PlacedName } from '../context/object-names.ts'
import type { PlaneFiles } from '../objects/plane-keys.ts'
import type { Journal } from '../record/journal.ts'
import { readEtcdOwner } from './etcd-owner.ts'
import { credentialsIn, openSharedEtcd } from './open-shared-etcd.ts'
import { sharedEtcdCredentials } from './shared-etcd-credentials.ts'

interface PrepareOptions {
  place: PlacedName
  files: PlaneFiles
  now: () => Date
  operation: Operation
}

/**
 * Makes the user of a plane in a shared etcd, unless it has data. One that has data must still have them. A plane with
 * another store needs nothing. Returns the files that the owner has changed since, or that would expire soon.
 *
 * @throws {VplaneError} `UNREACHABLE` without the etcd, `FAILED` if it refuses, lets the user read what is not the plane's, or
 * the data is missing, `CONFLICT` if a prefix of the owner has keys.
 */
export async function prepareSharedEtcd(
  host: Host,
  journal: Pick<Journal, 'record' | 'step'>,
  { files, now, operation, place }: PrepareOptions,
): Promise<PlaneFiles> {
  const { record } = journal
  const { hasData, ownsPrefix = false, spec } = record
  const shared = sharedEtcdOf(spec)
  const facts = hostedSharedEtcd({ ...record, ...place })
  if (shared === undefined || facts === undefined) {
    return {}
  }
  const { prefix, user } = facts
  const { signal, ui } = operation
  const { namespace } = place
  const renewal = { files, record, now: now(), signal }
  const changed = await sharedEtcdCredentials(host.api, place, renewal).catch((error: unknown) => {
    // A plane that has data needs nothing of it until its certificate expires.
    if (!hasData || signal.aborted) {
      throw error
    }
    ui.warn(messageOf(error))
    return {}
  })
  ui.step(hasData || user === undefined ? 'Reading the shared etcd' : `Creating the user "${user}"`)
  await using relay = await openSharedEtcd(host, { place, record, facts, operation })
  const asPlane = () => relay.as(credentialsIn({ ...files, ...changed }))
  if (hasData) {
    await refuseMissing(place, await asPlane(), { prefix, signal })
    return changed
  }
  const owner = await relay.as(await readEtcdOwner(host.api, { namespace, shared, signal }))
  if (!ownsPrefix) {
    await refuseTaken(owner, { prefix, signal })
    // Before the etcd has anything, so that a deletion finds what an interrupted create has made.
    await journal.step('using the shared etcd', { ownsPrefix: true })
  }
  if (user !== undefined) {
    await ensureUser(owner, { user, prefix }, signal)
  }
  await refuseOpen(await asPlane(), { prefix, signal })
  return changed
}
