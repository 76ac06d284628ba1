import type { Resource } from '../../shared/kube/collections.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import type { ObjectCache } from '../../kube/cache/object-cache.ts'

/** The kinds of classes that a plane has for classes of its host. */
export type ClassResource = Extract<Resource, `${string}classes`>

export type Classes = Record<ClassResource, KubeObject[]>

/** Classes of one kind: all of the plane, also those of its users, and the host's if the syncer may read them. */
export interface ClassSides {
  virtual: ObjectCache
  host?: ObjectCache
}

/** A value for each of these kinds. */
export function byClassResource<Value>(
  make: (resource: ClassResource) => Value,
): Record<ClassResource, Value> {
  return {
    storageclasses: make('storageclasses'),
    ingressclasses: make('ingressclasses'),
    runtimeclasses: make('runtimeclasses'),
    priorityclasses: make('priorityclasses'),
  }
}

/** Calls the listener whenever a class of the host is added, changed or deleted. */
export function onHostClass(
  sides: Record<ClassResource, Pick<ClassSides, 'host'>>,
  listener: () => void,
): void {
  for (const { host } of Object.values(byClassResource((resource) => sides[resource]))) {
    host?.onChange(listener)
  }
}
