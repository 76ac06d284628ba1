import type { VirtualKey } from './sync-scope.ts'

/** The kinds of which there are virtual and host objects, by their names in paths, with the API that serves them. */
export const SYNCED_APIS = {
  pods: '/api/v1',
  services: '/api/v1',
  configmaps: '/api/v1',
  secrets: '/api/v1',
  persistentvolumeclaims: '/api/v1',
  endpointslices: '/apis/discovery.k8s.io/v1',
  ingresses: '/apis/networking.k8s.io/v1',
  networkpolicies: '/apis/networking.k8s.io/v1',
  poddisruptionbudgets: '/apis/policy/v1',
} as const

export type SyncedResource = keyof typeof SYNCED_APIS

const SYNCED_RESOURCES = Object.keys(SYNCED_APIS).filter(isSynced)

/** Something for each of these kinds. */
export function byResource<Value>(
  make: (resource: SyncedResource) => Value,
): Record<SyncedResource, Value> {
  const made = SYNCED_RESOURCES.map((resource) => [resource, make(resource)] as const)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it has all of them
  return Object.fromEntries(made) as Record<SyncedResource, Value>
}

/** Path of all objects of a kind; of one namespace when it is given. */
export function collectionOf(resource: SyncedResource, namespace?: string): string {
  const place = namespace === undefined ? '' : `/namespaces/${namespace}`
  return `${SYNCED_APIS[resource]}${place}/${resource}`
}

/** Path of one object. */
export function pathOf(resource: SyncedResource, { name, namespace }: Partial<VirtualKey>): string {
  return `${collectionOf(resource, namespace)}/${name ?? ''}`
}

function isSynced(name: string): name is SyncedResource {
  return name in SYNCED_APIS
}
