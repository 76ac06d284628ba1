import { join } from 'node:path'
import type { AnyComponentName, ServingName } from '../../../control-plane/plane/plane.ts'

export function planeFolder(root: string) {
  return {
    root,
    record: join(root, 'plane.json'),
    /** The operation that works on the plane, or was interrupted. */
    operation: join(root, 'operation.json'),
    /** The cached credential of the plane's administrator. */
    access: join(root, 'access.json'),
    /** The status of backups, from the keeper. */
    backups: join(root, 'backups.json'),
    /** The last use, from the keeper. */
    idle: join(root, 'idle.json'),
    /** The alarms, from the keeper. */
    alarms: join(root, 'alarms.json'),
    /** What woke it, from the keeper. */
    wakes: join(root, 'wakes.json'),
    /** What happened to it in the last hour, from the keeper. */
    events: join(root, 'events.json'),
    pki: join(root, 'pki'),
    configuration: join(root, 'configuration'),
    etcdData: join(root, 'etcd'),
    /** The folder of sqlite: its file, and what sqlite has beside it. */
    sqliteData: join(root, 'sqlite'),
    sqliteFile: join(root, 'sqlite', 'state.db'),
    /** The database and the role of the plane, with its password. */
    database: join(root, 'database.json'),
    /** Data restored from a snapshot, until it replaces that of the store. */
    restoredData: join(root, 'etcd-restored'),
    /** The configuration of an etcd that runs only to read or create such data. */
    restoredConfiguration: join(root, 'etcd-restored.json'),
    processes: join(root, 'processes'),
    logs: join(root, 'logs'),
    logOf: (component: AnyComponentName) => join(root, 'logs', `${component}.log`),
    processOf: (component: ServingName) => join(root, 'processes', `${component}.json`),
  }
}

export type PlaneFolder = ReturnType<typeof planeFolder>
