import type { Resource } from '../../shared/kube/collections.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import type { ObjectCache } from '../engine/object-cache.ts'

/** The kinds of classes that a plane has for what its host offers. */
export type ClassResource = Extract<Resource, `${string}classes`>

export type Classes = Record<ClassResource, KubeObject[]>

/** Classes of one kind on both sides: all that the plane has, those of its users too, and the host's where they may be read. */
export interface ClassSides {
  virtual: ObjectCache
  host?: ObjectCache
}

/** Something for each of these kinds. */
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

/** Calls the listener whenever a class of the host has come, changed or gone. */
export function onHostClass(
  sides: Record<ClassResource, Pick<ClassSides, 'host'>>,
  listener: () => void,
): void {
  for (const { host } of Object.values(byClassResource((resource) => sides[resource]))) {
    host?.onChange(listener)
  }
}
