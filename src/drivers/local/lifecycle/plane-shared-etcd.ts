import { dirname } from 'node:path'
import { sharedEtcdOf } from '../../../control-plane/store/store.ts'
import { rangeOverGrpc } from '../../../etcd/data/range-over-grpc.ts'
import type { EtcdConnection } from '../../../etcd/etcd-connection.ts'
import { ensureUser } from '../../../etcd/shared/etcd-users.ts'
import { hasKeys } from '../../../etcd/shared/has-keys.ts'
import { formatSharedEtcd, newSharedEtcd } from '../../../etcd/shared/shared-etcd.ts'
import { VplaneError } from '../../../shared/errors.ts'
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

/** From the first possible key to the last one. */
const EVERYTHING = { from: Buffer.of(0), to: Buffer.of(0) }

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
    await refuseMissing(name, await connectAsPlane(facts, folder, signal), { ...facts, signal })
    return
  }
  if (facts.user !== undefined) {
    ui.step(`Creating the user "${facts.user}" of the shared etcd`)
  }
  const owner = await connectAsOwner(facts, folder, signal)
  if (stored === undefined) {
    if (await hasKeys(owner, { ...facts, signal })) {
      throw new VplaneError('CONFLICT', `${owner.what} has keys below ${facts.prefix}`, {
        hints: ['choose another prefix, or delete these keys'],
      })
    }
    makeFolder(dirname(folder.sharedEtcd.facts))
    // Before the etcd has it, so that a deletion finds what an interrupted create has made.
    await writeFile(folder.sharedEtcd.facts, formatSharedEtcd(facts))
  }
  if (facts.user !== undefined) {
    await ensureUser(owner, { user: facts.user, prefix: facts.prefix }, signal)
  }
  await ensureSharedEtcdCertificate(facts, folder, { algorithm: spec.pki.algorithm, now })
  const own = await connectAsPlane(facts, folder, signal)
  await hasKeys(own, { ...facts, signal })
  await refuseOpen(own, signal)
}

async function refuseMissing(
  name: string,
  connection: EtcdConnection,
  asked: Parameters<typeof hasKeys>[1],
): Promise<void> {
  if (!(await hasKeys(connection, asked))) {
    const place = `${connection.what} has no keys below ${asked.prefix}`
    throw new VplaneError('FAILED', `the data of "${name}" is missing: ${place}`, {
      hints: [
        'restore the etcd from a backup',
        { purpose: 'or delete the plane', action: 'delete', plane: { name } },
      ],
    })
  }
}

/** Without users, or with too many permissions, each plane could read and change the data of every other. */
async function refuseOpen(connection: EtcdConnection, signal: AbortSignal): Promise<void> {
  const range = { ...EVERYTHING, limit: 1, keysOnly: true }
  const isOpen = await rangeOverGrpc(connection, { ...range, signal }).then(
    () => true,
    (error: unknown) => {
      if (error instanceof VplaneError && error.code === 'FAILED') {
        return false
      }
      throw error
    },
  )
  if (isOpen) {
    const message = `${connection.what} lets the certificate of a plane read all keys`
    throw new VplaneError('FAILED', message, {
      hints: [
        'enable its authentication: etcdctl auth enable',
        'and give the user only its prefix',
      ],
    })
  }
}
