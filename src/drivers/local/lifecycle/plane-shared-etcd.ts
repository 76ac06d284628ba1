import { dirname } from 'node:path'
import { sharedEtcdOf } from '../../../control-plane/store/store.ts'
import { currentRevision } from '../../../etcd/data/read-keys.ts'
import type { EtcdConnection } from '../../../etcd/etcd-connection.ts'
import { refuseMissing, refuseOpen, refuseTaken } from '../../../etcd/shared/check-keys.ts'
import { ensureUser } from '../../../etcd/shared/etcd-users.ts'
import { hasKeys } from '../../../etcd/shared/has-keys.ts'
import {
  formatSharedEtcd,
  newSharedEtcd,
  type SharedEtcd,
} from '../../../etcd/shared/shared-etcd.ts'
import { isVplaneError, VplaneError } from '../../../shared/errors.ts'
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

interface Preparation extends Pick<HeldOperation, 'signal' | 'ui'> {
  now: Date
}

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
  { now, signal, ui }: Preparation,
): Promise<void> {
  const wanted = sharedEtcdOf(spec)
  if (wanted === undefined) {
    return
  }
  const facts = storedSharedEtcd(folder) ?? newSharedEtcd(name, wanted)
  if (hasData) {
    await refuseMissing({ name }, await connectAsPlane(facts, folder, signal), { ...facts, signal })
    return
  }
  const owner = await connectAsOwner(facts, folder, signal)
  await ensureAccess(spec, folder, { facts, owner, now, signal, ui })
}

/**
 * Prepares the shared etcd of a plane for other keys. What it does not have yet, or not any more, is made. Returns the
 * prefix of the keys, and the revision of the etcd: later keys have later ones.
 *
 * @throws {VplaneError} as `prepareSharedEtcd`, and `CONFLICT` when a revision that clients know is later than its own.
 */
export async function openSharedEtcd(
  { name, spec }: PlaneRecord,
  folder: PlaneFolder,
  { known, now, signal, ui }: Preparation & { known: number },
): Promise<{ prefix: string; revision: number } | undefined> {
  const wanted = sharedEtcdOf(spec)
  if (wanted === undefined) {
    return undefined
  }
  const stored = storedSharedEtcd(folder)
  const facts = stored ?? newSharedEtcd(name, wanted)
  const owner = await connectAsOwner(facts, folder, signal)
  const revision = await currentRevision(owner, signal)
  if (revision < known) {
    throw behind(owner.what, { known, revision })
  }
  if (stored === undefined || !(await hasAccess(facts, folder, signal))) {
    await ensureAccess(spec, folder, { facts, owner, now, signal, ui })
  }
  return { prefix: facts.prefix, revision }
}

/** Nobody can raise the revisions of an etcd while it runs. */
function behind(what: string, { known, revision }: { known: number; revision: number }) {
  const message = `${what} is at revision ${revision}, and clients of the data know revision ${known}`
  return new VplaneError('CONFLICT', message, {
    hints: [
      'restore the snapshot to a plane with another store: it gets later revisions',
      'or let the owner of the etcd raise its revisions: etcdutl snapshot restore --bump-revision',
    ],
  })
}

async function hasAccess(
  facts: SharedEtcd,
  folder: PlaneFolder,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await hasKeys(await connectAsPlane(facts, folder, signal), { ...facts, signal })
    return true
  } catch (error) {
    if (isVplaneError(error, 'FAILED')) {
      return false
    }
    throw error
  }
}

/** Makes the user and the certificate, unless they exist or the owner has made them. */
async function ensureAccess(
  { pki }: PlaneRecord['spec'],
  folder: PlaneFolder,
  { facts, now, owner, signal, ui }: Preparation & { facts: SharedEtcd; owner: EtcdConnection },
): Promise<void> {
  if (facts.user !== undefined) {
    ui.step(`Creating the user "${facts.user}" of the shared etcd`)
  }
  if (storedSharedEtcd(folder) === undefined) {
    await refuseTaken(owner, { ...facts, signal })
    makeFolder(dirname(folder.sharedEtcd.facts))
    // Before the etcd has it, so that a deletion finds what an interrupted create has made.
    await writeFile(folder.sharedEtcd.facts, formatSharedEtcd(facts))
  }
  if (facts.user !== undefined) {
    await ensureUser(owner, { user: facts.user, prefix: facts.prefix }, signal)
  }
  await ensureSharedEtcdCertificate(facts, folder, { algorithm: pki.algorithm, now })
  const own = await connectAsPlane(facts, folder, signal)
  await refuseOpen(own, { ...facts, signal })
}
