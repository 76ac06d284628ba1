import { join } from 'node:path'
import type { AnyComponentName, ComponentName } from '../../../control-plane/plane/plane.ts'

/** The paths inside the folder of one plane. */
export interface PlaneFolder {
  root: string
  record: string
  /** The cached credential of the plane's administrator. */
  access: string
  /** The status of backups, from the keeper. */
  backups: string
  /** The last use, from the keeper. */
  idle: string
  /** The alarms, from the keeper. */
  alarms: string
  pki: string
  configuration: string
  etcdData: string
  /** Data restored from a snapshot, until it replaces that of etcd. */
  restoredData: string
  processes: string
  logs: string
  logOf(component: AnyComponentName): string
  processOf(component: ComponentName): string
}

export function planeFolder(root: string): PlaneFolder {
  return {
    root,
    record: join(root, 'plane.json'),
    access: join(root, 'access.json'),
    backups: join(root, 'backups.json'),
    idle: join(root, 'idle.json'),
    alarms: join(root, 'alarms.json'),
    pki: join(root, 'pki'),
    configuration: join(root, 'configuration'),
    etcdData: join(root, 'etcd'),
    restoredData: join(root, 'etcd-restored'),
    processes: join(root, 'processes'),
    logs: join(root, 'logs'),
    logOf: (component) => join(root, 'logs', `${component}.log`),
    processOf: (component) => join(root, 'processes', `${component}.json`),
  }
}
