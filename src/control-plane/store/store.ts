import { VplaneError } from '../../shared/errors.ts'

/** The store of a plane that is not an etcd of its own: kine serves a file or a database as etcd would. */
export interface StoreSpec {
  /** One of them. */
  kine: { sqlite?: Record<string, never>; postgres?: DatabaseSpec; mysql?: DatabaseSpec }
}

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
  /** It can be copied at one moment, and a plane can start from the copy. */
  snapshots: 'have snapshots',
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
  abilities: readonly Ability[]
  /** What it cannot do in a host cluster. @default it has all of its abilities there */
  notOnHost?: readonly Ability[]
}

/** Every store: what it is, and what it can do. */
export const STORES = {
  etcd: {
    title: 'etcd',
    component: 'etcd',
    abilities: ['members', 'snapshots', 'backups', 'moves', 'figures'],
  },
  sqlite: {
    title: 'sqlite',
    component: 'kine',
    abilities: ['snapshots'],
    notOnHost: ['snapshots'],
  },
  postgres: { title: 'PostgreSQL', component: 'kine', abilities: [] },
  mysql: { title: 'MySQL', component: 'kine', abilities: [] },
} as const satisfies Record<string, Store>

interface Stored {
  /** @default etcd of its own */
  store?: StoreSpec | undefined
  /** @default it runs on this machine */
  host?: object | undefined
}

/** The store of a plane with this spec. */
export function storeOf({ store }: Stored): Store {
  return STORES[store === undefined ? 'etcd' : (databaseOf({ store })?.kind ?? 'sqlite')]
}

/** The database of a plane with this spec, and its kind; undefined if it has another store. */
export function databaseOf({ store }: Stored): (DatabaseSpec & { kind: DatabaseKind }) | undefined {
  const { mysql, postgres } = store?.kine ?? {}
  return postgres === undefined
    ? mysql && { kind: 'mysql', ...mysql }
    : { kind: 'postgres', ...postgres }
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
  const isFile = databaseOf(spec) === undefined
  const hints = INSTEAD[ability].filter((hint) => isFile || hint !== COPY_VOLUME)
  return new VplaneError('UNSUPPORTED', message, { hints })
}

const COPY_VOLUME = 'or pause it, and take a snapshot of its volume'

const INSTEAD: Record<Ability, readonly string[]> = {
  members: ['the data of a plane with the store etcd can have several members'],
  snapshots: [
    'copy its objects with kubectl to a plane with the store etcd, which has snapshots',
    COPY_VOLUME,
  ],
  backups: ['take snapshots of it yourself: a plane of this machine with sqlite has them'],
  moves: [
    'on this machine: restore a snapshot of it to a plane with the store etcd, and move that',
    'otherwise copy its objects with kubectl to a plane at the other place',
  ],
  figures: ['measure its kube-apiserver instead: its metrics have the requests to the store'],
}
