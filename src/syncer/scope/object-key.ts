import type { KubeObject } from '../../shared/kube/kube-object.ts'
import type { VirtualKey } from './sync-scope.ts'

/** What names an object within its kind, as one text: `default/web`; `/node-1` for what is in no namespace. */
export type ObjectKey = `${string}/${string}`

/** The key of an object. */
export function keyOf({ metadata }: Pick<KubeObject, 'metadata'>): ObjectKey {
  return `${metadata.namespace ?? ''}/${metadata.name ?? ''}`
}

/** The key of what has this name. */
export function toObjectKey({ name, namespace = '' }: VirtualKey): ObjectKey {
  return `${namespace}/${name}`
}

/** The name that a key stands for. Neither part of it can hold a slash. */
export function parseObjectKey(key: ObjectKey): { name: string; namespace: string } {
  const [namespace = '', name = ''] = key.split('/')
  return { name, namespace }
}
