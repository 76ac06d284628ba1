import { dirname } from 'node:path'
import { sharedEtcdOf } from '../../../control-plane/store/store.ts'
import { refuseMissing, refuseOpen, refuseTaken } from '../../../etcd/shared/check-keys.ts'
import { ensureUser } from '../../../etcd/shared/etcd-users.ts'
import { formatSharedEtcd, newSharedEtcd } from '../../../etcd/shared/shared-etcd.ts'
import { makeFolder } from '../../../shared/files/make-folder.ts'
import { writeFile } from '../../../shared/files/write-file.ts'
import { ensureSharedEtcdCertificate } from '../certificates/shared-etcd-certificate.ts'
import {
  connectAsOwner,
  connectAsPlane,
  storedSharedEtcd,
} from '../components/plane-etcd-access.ts'
import type { HeldOperation } from '../store/hold-plane.ts'
import type { PlaneFolder } from '../store/plane-folder.ts'
import type { PlaneRecord } from '../store/plane-record.ts'

/**
 * Makes the user of a plane in a shared etcd, and the plane's certificate, unless it has data. One that has data must still
 * have them. A plane with another store needs nothing.
 *
 * @throws {VplaneError} `UNREACHABLE` without the etcd, `FAILED` if it refuses, lets the user read what is not the plane's, or
 * the data is missing, `CONFLICT` if a prefix of the owner has keys.
 */
export async function prepareSharedEtcd(
  { hasData, name, spec }: PlaneRecord,
  folder: PlaneFolder,
  { now, signal, ui }: Pick<HeldOperation, 'signal' | 'ui'> & { now: Date },
): Promise<void> {
  const wanted = sharedEtcdOf(spec)
  if (wanted === undefined) {
    return
  }
  const stored = storedSharedEtcd(folder)
  const facts = stored ?? newSharedEtcd(name, wanted)
  if (hasData) {
    await refuseMissing({ name }, await connectAsPlane(facts, folder, signal), { ...facts, signal })
    return
  }
  if (facts.user !== undefined) {
    ui.step(`Creating the user "${facts.user}" of the shared etcd`)
  }
  const owner = await connectAsOwner(facts, folder, signal)
  if (stored === undefined) {
    await refuseTaken(owner, { ...facts, signal })
    makeFolder(dirname(folder.sharedEtcd.facts))
    // Before the etcd has it, so that a deletion finds what an interrupted create has made.
    await writeFile(folder.sharedEtcd.facts, formatSharedEtcd(facts))
  }
  if (facts.user !== undefined) {
    await ensureUser(owner, { user: facts.user, prefix: facts.prefix }, signal)
  }
  await ensureSharedEtcdCertificate(facts, folder, { algorithm: spec.pki.algorithm, now })
  const own = await connectAsPlane(facts, folder, signal)
  await refuseOpen(own, { ...facts, signal })
}
