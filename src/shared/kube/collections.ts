const APIS = {
  configmaps: 'api/v1',
  endpoints: 'api/v1',
  events: 'api/v1',
  limitranges: 'api/v1',
  namespaces: 'api/v1',
  nodes: 'api/v1',
  persistentvolumeclaims: 'api/v1',
  persistentvolumes: 'api/v1',
  pods: 'api/v1',
  replicationcontrollers: 'api/v1',
  resourcequotas: 'api/v1',
  secrets: 'api/v1',
  serviceaccounts: 'api/v1',
  services: 'api/v1',
  mutatingwebhookconfigurations: 'apis/admissionregistration.k8s.io/v1',
  validatingadmissionpolicies: 'apis/admissionregistration.k8s.io/v1',
  validatingadmissionpolicybindings: 'apis/admissionregistration.k8s.io/v1',
  validatingwebhookconfigurations: 'apis/admissionregistration.k8s.io/v1',
  customresourcedefinitions: 'apis/apiextensions.k8s.io/v1',
  controllerrevisions: 'apis/apps/v1',
  daemonsets: 'apis/apps/v1',
  deployments: 'apis/apps/v1',
  replicasets: 'apis/apps/v1',
  statefulsets: 'apis/apps/v1',
  cronjobs: 'apis/batch/v1',
  jobs: 'apis/batch/v1',
  certificatesigningrequests: 'apis/certificates.k8s.io/v1',
  leases: 'apis/coordination.k8s.io/v1',
  endpointslices: 'apis/discovery.k8s.io/v1',
  ingressclasses: 'apis/networking.k8s.io/v1',
  ingresses: 'apis/networking.k8s.io/v1',
  networkpolicies: 'apis/networking.k8s.io/v1',
  servicecidrs: 'apis/networking.k8s.io/v1',
  runtimeclasses: 'apis/node.k8s.io/v1',
  poddisruptionbudgets: 'apis/policy/v1',
  clusterrolebindings: 'apis/rbac.authorization.k8s.io/v1',
  clusterroles: 'apis/rbac.authorization.k8s.io/v1',
  rolebindings: 'apis/rbac.authorization.k8s.io/v1',
  roles: 'apis/rbac.authorization.k8s.io/v1',
  priorityclasses: 'apis/scheduling.k8s.io/v1',
  storageclasses: 'apis/storage.k8s.io/v1',
  controlplanes: 'apis/vplane.dev/v1beta1',
  nestedcontrolplanes: 'apis/nested.vplane.dev/v1beta1',
  nestedcontrolplanetemplates: 'apis/nested.vplane.dev/v1beta1',
  nestedetcds: 'apis/nested.vplane.dev/v1beta1',
  nestedkases: 'apis/nested.vplane.dev/v1beta1',
  nestedkcms: 'apis/nested.vplane.dev/v1beta1',
  nestedpkis: 'apis/nested.vplane.dev/v1beta1',
  clusters: 'apis/cluster.x-k8s.io/v1beta2',
} as const

export type Resource = keyof typeof APIS

/** The path of all objects of a resource, in one namespace or in all: `/api/v1/namespaces/x/pods`. */
export function collectionPath(resource: Resource, namespace?: string): string {
  const place = namespace === undefined ? '' : `namespaces/${namespace}/`
  return `/${APIS[resource]}/${place}${resource}`
}

/** The path of one object; without namespace, of a cluster-scoped one. */
export function objectPath(
  resource: Resource,
  { name = '', namespace }: { name?: string | undefined; namespace?: string | undefined },
): string {
  return `${collectionPath(resource, namespace)}/${name}`
}
