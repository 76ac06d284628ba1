import { join } from 'node:path'
import type { AnyComponentName, ComponentName } from '../../../control-plane/plane/plane.ts'

/** The places inside the folder of one plane. */
export interface PlaneFolder {
  root: string
  record: string
  /** The credential that is kept for the plane's administrator. */
  access: string
  /** What its keeper says of its backups. */
  backups: string
  /** What its keeper says of its use. */
  idle: string
  /** What its keeper finds wrong. */
  alarms: string
  pki: string
  configuration: string
  etcdData: string
  /** Data that is made of a snapshot, until it takes the place of the other. */
  restoredData: string
  processes: string
  logs: string
  logOf(component: AnyComponentName): string
  processOf(component: ComponentName): string
}

/** The places inside the folder `root` of a plane. */
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
