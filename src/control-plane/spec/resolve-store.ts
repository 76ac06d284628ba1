import { VplaneError } from '../../shared/errors.ts'
import type { DriverName } from './driver-name.ts'
import { canStore, databaseOf, storeOf } from '../store/store.ts'
import { KINE_VERSION } from '../store/kine-version.ts'
import type { PlaneSpec, UserSpec } from './spec.ts'

/** The fields that only etcd reads. */
const OF_ETCD = ['extraArgs', 'goGc', 'replicas', 'resources', 'podTemplate'] as const

/**
 * The store of a plane: no fields for etcd of its own.
 * @throws {VplaneError} `INVALID_SPEC` when the store lacks what the spec asks for.
 */
export function resolveStore(
  user: UserSpec,
  driver: DriverName = 'local',
): Pick<PlaneSpec, 'kineVersion' | 'store'> {
  const kine = user.store?.kine
  if (kine === undefined) {
    if (user.store?.resources !== undefined) {
      const message = '"store.resources" configures kine, and the store of this plane is etcd'
      throw new VplaneError('INVALID_SPEC', message, { hints: ['use etcd.resources'] })
    }
    return {}
  }
  const store = { kine }
  const { title } = storeOf({ store })
  if (user.backup !== undefined && !canStore({ store }, 'backups')) {
    const message = `"backup" is not possible with the store ${title}, which has no backups`
    throw new VplaneError('INVALID_SPEC', message, {
      hints: ['leave backup out', 'leave store out'],
    })
  }
  const database = databaseOf({ store })
  if (database !== undefined && driver !== 'local') {
    const message = `"store.kine.${database.kind}" needs the local driver`
    throw new VplaneError('INVALID_SPEC', message, {
      hints: ['use the store etcd or sqlite in a host cluster', 'or use the driver "local"'],
    })
  }
  if (database !== undefined && user.ephemeral === true) {
    const message = `an ephemeral plane cannot have the store ${title}: nobody deletes its database if its process is killed`
    throw new VplaneError('INVALID_SPEC', message, {
      hints: ['leave ephemeral out, or set it to false', 'leave store out'],
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
