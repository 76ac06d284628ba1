import {
  OPTIONAL_KINDS,
  OPTIONAL_RESOURCES,
  type SyncSpec,
} from '../../control-plane/spec/fields/host-spec.ts'
import type { Resource } from '../../shared/kube/collections.ts'

const SYNCED = [
  'pods',
  'services',
  'configmaps',
  'secrets',
  'persistentvolumeclaims',
  'endpointslices',
  'ingresses',
  'networkpolicies',
  'poddisruptionbudgets',
] as const satisfies readonly Resource[]

export type SyncedResource = (typeof SYNCED)[number]

/** Whether a spec may switch a kind off. */
export function isOptional(resource: Resource): boolean {
  return OPTIONAL_KINDS.some((kind) => OPTIONAL_RESOURCES[kind] === resource)
}

/** Whether the owner of a plane lets objects of a kind onto the host. */
export function isSynced({ kinds = {} }: Pick<SyncSpec, 'kinds'>, resource: Resource): boolean {
  return !OPTIONAL_KINDS.some(
    (kind) => kinds[kind] === false && OPTIONAL_RESOURCES[kind] === resource,
  )
}

/** A value for each of these kinds. */
export function byResource<Value>(
  make: (resource: SyncedResource) => Value,
): Record<SyncedResource, Value> {
  const values = SYNCED.map((resource) => [resource, make(resource)] as const)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it has all of them
  return Object.fromEntries(values) as Record<SyncedResource, Value>
}
