import { VplaneError } from '../../../shared/errors.ts'
import type { SnapshotSource } from '../../driver/snapshot.ts'
import type { PlaneSpec } from '../../spec/spec.ts'
import { storeOf } from '../../store/store.ts'

/** No etcd runs beside the plane there, which could translate one format to the other. */
const OTHER = {
  etcd: {
    why: 'is logical, and can only be restored to etcd on this machine',
    hint: 'restore it to a plane of this machine with the store etcd, and move that plane to the host cluster',
  },
  kine: {
    why: 'is the database of etcd, and cannot be restored to another store in a host cluster',
    hint: 'take a logical snapshot of that plane instead, or restore this one to a plane of this machine, and take one of that',
  },
}

/**
 * @throws {VplaneError} `UNSUPPORTED` for a snapshot of the other format than the store of a plane in a host cluster loads, and
 * for an ephemeral plane with kine there, whose pod is replaced by a restore.
 */
export function refuseOnHost(
  { format = 'etcd', what }: Pick<SnapshotSource, 'format' | 'what'>,
  { name, spec }: { name: string; spec: PlaneSpec },
): void {
  const { component } = storeOf(spec)
  if (spec.host === undefined) {
    return
  }
  if ((format === 'logical') !== (component === 'kine')) {
    const { hint, why } = OTHER[component]
    throw new VplaneError('UNSUPPORTED', `${what} ${why}`, { hints: [hint] })
  }
  if (component === 'kine' && spec.ephemeral) {
    const message = `"${name}" cannot be restored: it is ephemeral, and its data is in the pod of kine`
    throw new VplaneError('UNSUPPORTED', message, {
      hints: ['restore the snapshot to a plane that is not ephemeral'],
    })
  }
}
