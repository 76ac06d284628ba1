import { isRecord, recordsAt, type Json } from '../json-fields.ts'

/** A Kubernetes object as JSON; nothing is dropped or converted. */
export interface KubeObject {
  apiVersion: string
  kind: string
  metadata: ObjectMetadata
  [field: string]: unknown
}

interface ObjectMetadata {
  name?: string
  namespace?: string
  generateName?: string
  uid?: string
  resourceVersion?: string
  labels?: Record<string, string>
  annotations?: Record<string, string>
  [field: string]: unknown
}

/** What happened to an object that is watched. */
export interface WatchEvent {
  type: 'ADDED' | 'MODIFIED' | 'DELETED'
  object: KubeObject
}

/** Tells JSON that can be worked with as an object of Kubernetes from anything else. */
export function isKubeObject(value: unknown): value is KubeObject {
  return isRecord(value) && isRecord(value['metadata'])
}

/** Tells a whole object, as a file holds it, from other JSON: items of lists lack their kind. */
export function isWholeObject(value: unknown): value is KubeObject {
  return (
    isKubeObject(value) && typeof value.apiVersion === 'string' && typeof value.kind === 'string'
  )
}

/** What an object says of one condition of its status. */
export function conditionOf(object: unknown, type: string): Json | undefined {
  return recordsAt(object, 'status', 'conditions').find((condition) => condition['type'] === type)
}

/** Tells whether somebody has deleted an object that is still there. */
export function isLeaving({ metadata }: Pick<KubeObject, 'metadata'>): boolean {
  return metadata['deletionTimestamp'] !== undefined
}
