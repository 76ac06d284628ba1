import { VplaneError } from '../../shared/errors.ts'
import { omitUndefined } from '../../shared/omit-undefined.ts'
import type { DriverName } from './driver-name.ts'
import {
  canStore,
  type DatabaseKind,
  databaseOf,
  type DatabaseSpec,
  isAtServer,
  type SharedEtcdSpec,
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
  { driver, isDeclared }: { driver: DriverName; isDeclared: boolean },
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
  if (isShared) {
    checkSharedAccess(shared, driver)
  }
  if (isShared && isDeclared) {
    const message = `a plane that a ControlPlane declares cannot have the store ${title}: the operator uses no etcd of others`
    throw new VplaneError('INVALID_SPEC', message, {
      hints: ['use another store', 'or create the plane with vplane, and do not declare it'],
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
  const field = (name: string) => `store.kine.${database.kind}.${name}`
  const given = Object.entries(database).map(([name]) => field(name))
  checkFields(given, { driver, needed: [field(needed)], others: others.map(field) })
}

/** @throws {VplaneError} `INVALID_SPEC` when the certificates are not where the driver reads them. */
function checkSharedAccess({ caFile, client, root }: SharedEtcdSpec, driver: DriverName): void {
  const of = client === undefined ? 'root' : 'client'
  const field = (name: string) => `store.etcd.shared.${of}.${name}`
  const given = [
    ...(caFile === undefined ? [] : ['store.etcd.shared.caFile']),
    ...Object.keys(client ?? root ?? {}).map(field),
  ]
  const files = [
    'store.etcd.shared.caFile',
    ...['certificateFile', 'keyFile'].map(field),
    ...(client === undefined ? ['clientCaFile', 'clientCaKeyFile'].map(field) : []),
  ]
  const secret = [field('credentialsSecret')]
  const [needed, others] = driver === 'local' ? [files, secret] : [secret, files]
  checkFields(given, { driver, needed, others })
}

interface DriverFields {
  driver: DriverName
  needed: readonly string[]
  /** What only other drivers read. */
  others: readonly string[]
}

function checkFields(given: readonly string[], { driver, needed, others }: DriverFields): void {
  const quoted = (fields: readonly string[]) => fields.map((field) => `"${field}"`).join(', ')
  const refused = others.filter((field) => given.includes(field))
  if (refused.length > 0) {
    const message = `the driver "${driver}" does not support ${quoted(refused)}`
    throw new VplaneError('INVALID_SPEC', message, { hints: [`use ${quoted(needed)} instead`] })
  }
  const missing = needed.filter((field) => !given.includes(field))
  if (missing.length > 0) {
    throw new VplaneError('INVALID_SPEC', `the driver "${driver}" needs ${quoted(missing)}`)
  }
}
