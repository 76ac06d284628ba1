import { isRecord, recordsAt, type Json } from '../json-fields.ts'

/** A Kubernetes object as JSON, with all fields and without conversions. */
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

export interface WatchEvent {
  type: 'ADDED' | 'MODIFIED' | 'DELETED'
  object: KubeObject
}

/** Whether a value can be used as a Kubernetes object. */
export function isKubeObject(value: unknown): value is KubeObject {
  return isRecord(value) && isRecord(value['metadata'])
}

/** Whether a value is a complete object, as in a file: items of lists have no kind. */
export function isWholeObject(value: unknown): value is KubeObject {
  return (
    isKubeObject(value) && typeof value.apiVersion === 'string' && typeof value.kind === 'string'
  )
}

/** One condition in an object's status. */
export function conditionOf(object: unknown, type: string): Json | undefined {
  return recordsAt(object, 'status', 'conditions').find((condition) => condition['type'] === type)
}

/** Whether an object was deleted and still exists. */
export function isLeaving({ metadata }: Pick<KubeObject, 'metadata'>): boolean {
  return metadata['deletionTimestamp'] !== undefined
}
