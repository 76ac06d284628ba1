import { join } from 'node:path'
import type { ComponentName } from '../../../control-plane/plane.ts'

/** The places inside the folder of one plane. */
export interface PlaneFolder {
  root: string
  record: string
  /** The credential that is kept for the plane's administrator. */
  access: string
  pki: string
  configuration: string
  etcdData: string
  processes: string
  logs: string
  logOf(component: ComponentName): string
  processOf(component: ComponentName): string
}

/** The places inside the folder `root` of a plane. */
export function planeFolder(root: string): PlaneFolder {
  return {
    root,
    record: join(root, 'plane.json'),
    access: join(root, 'access.json'),
    pki: join(root, 'pki'),
    configuration: join(root, 'configuration'),
    etcdData: join(root, 'etcd'),
    processes: join(root, 'processes'),
    logs: join(root, 'logs'),
    logOf: (component) => join(root, 'logs', `${component}.log`),
    processOf: (component) => join(root, 'processes', `${component}.json`),
  }
}
