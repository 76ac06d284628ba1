import { VplaneError } from '../../shared/errors.ts'
import { omitUndefined } from '../../shared/omit-undefined.ts'
import type { DriverName } from './driver-name.ts'
import {
  canStore,
  type DatabaseKind,
  databaseOf,
  type DatabaseSpec,
  isAtServer,
  type StoreSpec,
  storeOf,
} from '../store/store.ts'
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
  { driver }: { driver: DriverName },
): Pick<PlaneSpec, 'kineVersion' | 'store'> {
  const { etcd, kine, resources } = user.store ?? {}
  const shared = etcd?.shared
  if (kine === undefined && resources !== undefined) {
    const message = '"store.resources" configures kine, and the store of this plane is etcd'
    throw new VplaneError('INVALID_SPEC', message, { hints: ['use etcd.resources'] })
  }
  if (kine === undefined && shared === undefined) {
    return {}
  }
  const store: StoreSpec = shared === undefined ? omitUndefined({ kine }) : { etcd: { shared } }
  const { title } = storeOf({ store })
  const host = driver === 'kubernetes' ? {} : undefined
  if (user.backup !== undefined && !canStore({ store, host }, 'backups')) {
    const where = host === undefined ? '' : ' in a host cluster'
    const message = `"backup" is not possible with the store ${title}, which has no backups${where}`
    throw new VplaneError('INVALID_SPEC', message, {
      hints: ['leave backup out', 'leave store out'],
    })
  }
  const database = databaseOf({ store })
  const isShared = shared !== undefined
  if (database !== undefined) {
    checkAccess(database, driver)
  }
  if (isShared && driver !== 'local') {
    throw new VplaneError('INVALID_SPEC', '"store.etcd.shared" needs the local driver', {
      hints: ['use another store in a host cluster', 'or use the driver "local"'],
    })
  }
  if (isAtServer({ store }) && user.ephemeral === true) {
    const what = isShared ? 'keys' : 'database'
    const message = `an ephemeral plane cannot have the store ${title}: nobody deletes its ${what} if its process is killed`
    throw new VplaneError('INVALID_SPEC', message, {
      hints: ['leave ephemeral out, or set it to false', 'leave store out'],
    })
  }
  // The keys of a shared etcd have a prefix that no other plane has.
  const fields = isShared ? ([...OF_ETCD, 'prefix'] as const) : OF_ETCD
  const ofEtcd = fields.filter((one) => user.etcd?.[one] !== undefined)
  if (ofEtcd.length > 0) {
    const names = ofEtcd.map((field) => `"etcd.${field}"`).join(', ')
    const message = `${names} configure etcd, and the store of this plane is ${title}`
    throw new VplaneError('INVALID_SPEC', message, { hints: ['leave them out', 'leave store out'] })
  }
  return isShared ? { store } : { store, kineVersion: KINE_VERSION }
}

/** Where the owner's credentials for a database are, and what the other place has. */
const ACCESS = {
  local: { needed: 'credentialsFile', others: ['credentialsSecret'] },
  kubernetes: { needed: 'credentialsSecret', others: ['credentialsFile', 'caFile'] },
} as const

/** @throws {VplaneError} `INVALID_SPEC` when the credentials are not where the driver reads them. */
function checkAccess(database: DatabaseSpec & { kind: DatabaseKind }, driver: DriverName): void {
  const { needed, others } = ACCESS[driver]
  const field = (name: string) => `"store.kine.${database.kind}.${name}"`
  const refused = others.filter((name) => database[name] !== undefined)
  if (refused.length > 0) {
    const message = `the driver "${driver}" does not support ${refused.map(field).join(', ')}`
    throw new VplaneError('INVALID_SPEC', message, { hints: [`use ${field(needed)} instead`] })
  }
  if (database[needed] === undefined) {
    throw new VplaneError('INVALID_SPEC', `the driver "${driver}" needs ${field(needed)}`)
  }
}
