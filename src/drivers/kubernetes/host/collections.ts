/** The kinds that a plane is made of, or that the host makes for it, as resources of the host's API. */
const GROUPS = {
  configmaps: 'api/v1',
  endpoints: 'api/v1',
  events: 'api/v1',
  persistentvolumeclaims: 'api/v1',
  pods: 'api/v1',
  secrets: 'api/v1',
  services: 'api/v1',
  controllerrevisions: 'apis/apps/v1',
  deployments: 'apis/apps/v1',
  replicasets: 'apis/apps/v1',
  statefulsets: 'apis/apps/v1',
  leases: 'apis/coordination.k8s.io/v1',
  endpointslices: 'apis/discovery.k8s.io/v1',
  ingresses: 'apis/networking.k8s.io/v1',
  networkpolicies: 'apis/networking.k8s.io/v1',
  poddisruptionbudgets: 'apis/policy/v1',
} as const

export type Resource = keyof typeof GROUPS

/** Path of all objects of a kind, in one namespace or in all. */
export function collectionPath(resource: Resource, namespace?: string): string {
  const place = namespace === undefined ? '' : `namespaces/${namespace}/`
  return `/${GROUPS[resource]}/${place}${resource}`
}

/** Path of one object. */
export function objectPath(resource: Resource, { name, namespace }: ObjectPlace): string {
  return `${collectionPath(resource, namespace)}/${name}`
}

export interface ObjectPlace {
  name: string
  namespace: string
}
