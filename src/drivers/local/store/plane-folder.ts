import type { AnyComponentName, ServingName } from '../../../control-plane/plane/plane.ts'

/** The paths of a plane. `join` would take longer than all else in a list of a thousand planes: it looks at each character. */
export function planeFolder(root: string) {
  return {
    root,
    record: `${root}/plane.json`,
    /** The operation that works on the plane, or was interrupted. */
    operation: `${root}/operation.json`,
    /** The cached credential of the plane's administrator. */
    access: `${root}/access.json`,
    /** The status of backups, from the keeper. */
    backups: `${root}/backups.json`,
    /** The last use, from the keeper. */
    idle: `${root}/idle.json`,
    /** The alarms, from the keeper. */
    alarms: `${root}/alarms.json`,
    /** What woke it, from the keeper. */
    wakes: `${root}/wakes.json`,
    /** What happened to it in the last hour, from the keeper. */
    events: `${root}/events.json`,
    pki: `${root}/pki`,
    configuration: `${root}/configuration`,
    etcdData: `${root}/etcd`,
    /** The folder of sqlite: its file, and what sqlite has beside it. */
    sqliteData: `${root}/sqlite`,
    sqliteFile: `${root}/sqlite/state.db`,
    /** The database and the role of the plane, with its password. */
    database: `${root}/database.json`,
    /** What the plane has in a shared etcd, and the certificate of its user there. */
    sharedEtcd: {
      folder: `${root}/shared-etcd`,
      facts: `${root}/shared-etcd/shared-etcd.json`,
      certificate: `${root}/shared-etcd/client.crt`,
      key: `${root}/shared-etcd/client.key`,
    },
    /** Data restored from a snapshot, until it replaces that of the store. */
    restoredData: `${root}/etcd-restored`,
    /** The configuration of an etcd that runs only to read or create such data. */
    restoredConfiguration: `${root}/etcd-restored.json`,
    processes: `${root}/processes`,
    logs: `${root}/logs`,
    logOf: (component: AnyComponentName) => `${root}/logs/${component}.log`,
    processOf: (component: ServingName) => `${root}/processes/${component}.json`,
  }
}

export type PlaneFolder = ReturnType<typeof planeFolder>
