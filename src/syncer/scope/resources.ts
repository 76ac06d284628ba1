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

/** A value for each of these kinds. */
export function byResource<Value>(
  make: (resource: SyncedResource) => Value,
): Record<SyncedResource, Value> {
  const values = SYNCED.map((resource) => [resource, make(resource)] as const)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it has all of them
  return Object.fromEntries(values) as Record<SyncedResource, Value>
}
