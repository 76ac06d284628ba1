import type { KubeObject } from '../../shared/kube/kube-object.ts'

/** The namespace and the name of an object as one text: `default/web`; `/node-1` without a namespace. */
export type ObjectKey = `${string}/${string}`

/** The key of an object. */
export function keyOf({ metadata }: Pick<KubeObject, 'metadata'>): ObjectKey {
  return `${metadata.namespace ?? ''}/${metadata.name ?? ''}`
}

/** The key of the object with this name. */
export function toObjectKey({
  name,
  namespace = '',
}: {
  name: string
  namespace?: string | undefined
}): ObjectKey {
  return `${namespace}/${name}`
}

/** Neither name nor namespace can contain a slash. */
export function parseObjectKey(key: ObjectKey): { name: string; namespace: string } {
  const [namespace = '', name = ''] = key.split('/')
  return { name, namespace }
}
