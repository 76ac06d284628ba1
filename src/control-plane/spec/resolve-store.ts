import { VplaneError } from '../../shared/errors.ts'
import { canStore, storeOf } from '../store/store.ts'
import type { DriverName } from './driver-name.ts'
import { KINE_VERSION } from '../store/kine-version.ts'
import type { PlaneSpec, UserSpec } from './spec.ts'

/** The fields that only etcd reads. */
const OF_ETCD = ['extraArgs', 'goGc'] as const

/**
 * The store of a plane: no fields for etcd of its own.
 * @throws {VplaneError} `INVALID_SPEC` when the driver does not have the store, or the store lacks what the spec asks for.
 */
export function resolveStore(
  user: UserSpec,
  driver: DriverName,
): Pick<PlaneSpec, 'kineVersion' | 'store'> {
  const kine = user.store?.kine
  if (kine === undefined) {
    return {}
  }
  if (driver === 'kubernetes') {
    throw new VplaneError('INVALID_SPEC', '"store.kine" is only possible with the local driver', {
      hints: ['leave store out: the plane gets its own etcd', { driver: 'local' }],
    })
  }
  const store = { kine }
  const { title } = storeOf({ store })
  if (user.backup !== undefined && !canStore({ store }, 'snapshots')) {
    const message = `"backup" is not possible with the store ${title}, which has no snapshots`
    throw new VplaneError('INVALID_SPEC', message, {
      hints: ['leave backup out', 'leave store out'],
    })
  }
  const ofEtcd = OF_ETCD.filter((field) => user.etcd?.[field] !== undefined)
  if (ofEtcd.length > 0) {
    const names = ofEtcd.map((field) => `"etcd.${field}"`).join(', ')
    const message = `${names} configure etcd, and the store of this plane is ${title}`
    throw new VplaneError('INVALID_SPEC', message, { hints: ['leave them out', 'leave store out'] })
  }
  return { store, kineVersion: KINE_VERSION }
}
