import { VplaneError } from '../../shared/errors.ts'

/** The store of a plane that is not an etcd of its own: one of them. */
export interface StoreSpec {
  /** kine serves a file or a database as etcd would: one of them. */
  kine?: { sqlite?: Record<string, never>; postgres?: DatabaseSpec; mysql?: DatabaseSpec }
  /** An etcd that exists, and that others use too. */
  etcd?: { shared: SharedEtcdSpec }
}

/** An etcd that exists, in which a plane has the keys of one prefix. */
export interface SharedEtcdSpec {
  /** `https://etcd.example.com:2379`, of one or several members. */
  endpoints: string[]
  /** On this machine: PEM file with the CAs of its server certificates. */
  caFile?: string
  /** With these, vplane makes a user, a role and a certificate for the plane; or the owner has made them: `client`. */
  root?: OrSecret<EtcdRootFiles>
  /** A certificate that may read and write the keys of one prefix. */
  client?: OrSecret<EtcdClientFiles> & { prefix: string }
}

/** PEM files of a client of an etcd. */
export interface EtcdClientFiles {
  certificateFile: string
  keyFile: string
}

/** The same of its root user, and of the CA of its clients. */
export interface EtcdRootFiles extends EtcdClientFiles {
  clientCaFile: string
  clientCaKeyFile: string
}

/** Files on this machine; in a host namespace, a Secret of the namespace with their contents and the CAs of the server. */
type OrSecret<Files> = Partial<Files> & { credentialsSecret?: string }

/** A server of databases that exists, in which vplane makes a database and a role for a plane. */
export interface DatabaseSpec {
  host: string
  /** @default 5432 for PostgreSQL, 3306 for MySQL and MariaDB */
  port?: number
  /** @default a name that no other plane has */
  database?: string
  /** PEM file with the CAs of the server. @default the CAs of the machine */
  caFile?: string
  /** On this machine: file with `username` and `password` of a role that may create databases and roles. */
  credentialsFile?: string
  /** In a host namespace: Secret of the namespace with the same keys, and the CAs of the server in `ca.crt`. */
  credentialsSecret?: string
}

/** The kinds of servers of databases. */
export type DatabaseKind = 'mysql' | 'postgres'

/** Where they listen by default. */
export const DATABASE_PORTS: Record<DatabaseKind, number> = { mysql: 3306, postgres: 5432 }

/** What the data of a plane may be able to do. */
export type Ability = keyof typeof WITHOUT

/** What a plane cannot do if its store lacks an ability, as it reads after "cannot". */
const WITHOUT = {
  /** Several instances hold the same data, and a majority of them decides. */
  members: 'have several members',
  /** It can be copied at one moment. */
  snapshots: 'have snapshots',
  /** A plane can start from a copy, of this or another store. */
  restores: 'be restored',
  /** It can be copied on a schedule. */
  backups: 'have backups',
  /** It can be moved to another driver or host. */
  moves: 'be moved',
  /** It reports its size and its own metrics. */
  figures: 'be measured',
} as const

interface Store {
  /** How texts name it. */
  title: string
  /** The component that serves the data to kube-apiserver. */
  component: 'etcd' | 'kine'
  /** That component is no part of the plane. @default false */
  isElsewhere?: boolean
  abilities: readonly Ability[]
  /** What it cannot do in a host cluster. @default it has all of its abilities there */
  notOnHost?: readonly Ability[]
}

const OF_KINE = {
  component: 'kine',
  abilities: ['snapshots', 'restores', 'backups'],
  notOnHost: ['backups'],
} as const

/** Every store: what it is, and what it can do. */
export const STORES = {
  etcd: {
    title: 'etcd',
    component: 'etcd',
    abilities: ['members', 'snapshots', 'restores', 'backups', 'moves', 'figures'],
  },
  sqlite: { title: 'sqlite', ...OF_KINE },
  postgres: { title: 'PostgreSQL', ...OF_KINE },
  mysql: { title: 'MySQL', ...OF_KINE },
  sharedEtcd: {
    title: 'shared etcd',
    component: 'etcd',
    isElsewhere: true,
    abilities: ['snapshots', 'restores'],
    notOnHost: ['snapshots', 'restores'],
  },
} as const satisfies Record<string, Store>

interface Stored {
  /** @default etcd of its own */
  store?: StoreSpec | undefined
  /** @default it runs on this machine */
  host?: object | undefined
}

/** The store of a plane with this spec. */
export function storeOf({ store }: Stored): Store {
  if (sharedEtcdOf({ store }) !== undefined) {
    return STORES.sharedEtcd
  }
  return STORES[store === undefined ? 'etcd' : (databaseOf({ store })?.kind ?? 'sqlite')]
}

/** The component of a plane with this spec that serves its data; undefined if it is no part of the plane. */
export function ownStoreOf(spec: Stored): Store['component'] | undefined {
  const { component, isElsewhere = false } = storeOf(spec)
  return isElsewhere ? undefined : component
}

/** The shared etcd of a plane with this spec; undefined if it has another store. */
export function sharedEtcdOf({ store }: Stored): SharedEtcdSpec | undefined {
  return store?.etcd?.shared
}

/** The database of a plane with this spec, and its kind; undefined if it has another store. */
export function databaseOf({ store }: Stored): (DatabaseSpec & { kind: DatabaseKind }) | undefined {
  const { mysql, postgres } = store?.kine ?? {}
  return postgres === undefined
    ? mysql && { kind: 'mysql', ...mysql }
    : { kind: 'postgres', ...postgres }
}

/** Whether the data of a plane with this spec is at a server that exists without the plane. */
export function isAtServer(spec: Stored): boolean {
  return databaseOf(spec) !== undefined || sharedEtcdOf(spec) !== undefined
}

/** Whether the data of a plane with this spec has an ability. */
export function canStore(spec: Stored, ability: Ability): boolean {
  const { abilities, notOnHost = [] } = storeOf(spec)
  return abilities.includes(ability) && !(spec.host !== undefined && notOnHost.includes(ability))
}

/**
 * Called by what needs an ability of the data; `what` is what cannot be done then: `be moved`.
 * @throws {VplaneError} `UNSUPPORTED` when the store of the plane does not have the ability, with what to do instead.
 */
export function refuseWithout(
  { name, spec }: { name: string; spec: Stored },
  ability: Ability,
  what: string = WITHOUT[ability],
): void {
  if (!canStore(spec, ability)) {
    throw lacking({ name, spec }, ability, what)
  }
}

/** The error of what needs an ability that the store of a plane does not have. */
export function lacking(
  { name, spec }: { name: string; spec: Stored },
  ability: Ability,
  what: string = WITHOUT[ability],
): VplaneError {
  const message = `"${name}" cannot ${what}: its store is ${storeOf(spec).title}`
  return new VplaneError('UNSUPPORTED', message, { hints: INSTEAD[ability] })
}

const INSTEAD: Record<Ability, readonly string[]> = {
  members: ['the data of a plane with the store etcd can have several members'],
  snapshots: ['copy its objects with kubectl to a plane with the store etcd, which has snapshots'],
  restores: ['restore a snapshot to a plane with the store etcd or kine instead'],
  backups: ['take snapshots of it yourself: a plane with the store etcd or kine has them'],
  moves: [
    'restore a snapshot of it to a plane of this machine with the store etcd, and move that',
    'or copy its objects with kubectl to a plane at the other place',
  ],
  figures: ['measure its kube-apiserver instead: its metrics have the requests to the store'],
}
