import type { PlaneApi } from '../api/plane-api.ts'
import { ensureServiceRanges, type ServiceRanges } from './service-ranges.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'

/** The user name of the syncer in its plane. */
export const SYNCER_USER = 'system:vplane:syncer'

/** The user name of the plane's DNS server in its plane. */
export const DNS_USER = 'system:vplane:dns'

/** The user name of the plane's kube-apiserver at kubelets. */
export const KUBELET_CLIENT_USER = 'kube-apiserver-kubelet-client'

/** The user name of the plane's kube-apiserver at aggregated API servers. */
export const FRONT_PROXY_USER = 'front-proxy-client'

/** The Service in the plane for the metrics API of its syncers. */
export const METRICS_SERVICE = { name: 'vplane-metrics', namespace: 'kube-system' }

/** The path of the registration of that API. */
export const METRICS_API = '/apis/apiregistration.k8s.io/v1/apiservices/v1beta1.metrics.k8s.io'

/** The flow schema for requests of the syncer and the DNS server, which distinguishes them from those of users. */
export const COMPONENTS_SCHEMA = 'vplane-components'

const GROUP = 'rbac.authorization.k8s.io'
const FLOW_CONTROL = 'flowcontrol.apiserver.k8s.io/v1'

const READ = ['get', 'list', 'watch']
const MANAGE = [...READ, 'create', 'update', 'delete']

/** The permissions of CoreDNS's plugin `kubernetes`. */
const DNS_RULES = [
  rule('', ['namespaces', 'services'], ['list', 'watch']),
  rule('discovery.k8s.io', ['endpointslices'], ['list', 'watch']),
]

/** All permissions of the syncer in its plane. */
const RULES = [
  rule('', ['namespaces', 'configmaps', 'secrets'], READ),
  rule('', ['services'], [...READ, 'update']),
  rule('', ['services/status'], ['update']),
  rule('', ['persistentvolumeclaims'], [...READ, 'update']),
  rule('', ['persistentvolumes'], MANAGE),
  rule('', ['persistentvolumeclaims/status', 'persistentvolumes/status'], ['update']),
  rule('storage.k8s.io', ['storageclasses'], MANAGE),
  rule('node.k8s.io', ['runtimeclasses'], MANAGE),
  rule('scheduling.k8s.io', ['priorityclasses'], MANAGE),
  rule('discovery.k8s.io', ['endpointslices'], READ),
  rule('networking.k8s.io', ['ingressclasses'], MANAGE),
  rule('networking.k8s.io', ['ingresses', 'networkpolicies'], READ),
  rule('networking.k8s.io', ['ingresses/status'], ['update']),
  rule('policy', ['poddisruptionbudgets'], READ),
  rule('', ['pods'], [...READ, 'delete']),
  rule('', ['pods/status'], ['update']),
  rule('', ['pods/binding'], ['create']),
  rule('', ['serviceaccounts/token'], ['create']),
  rule('', ['nodes'], MANAGE),
  rule('', ['nodes/status'], ['update']),
  rule('', ['events'], ['get', 'list', 'create', 'patch']),
  rule('coordination.k8s.io', ['leases'], ['create', 'patch']),
  // Its kubelets check with these who may read their metrics.
  rule('authentication.k8s.io', ['tokenreviews'], ['create']),
  rule('authorization.k8s.io', ['subjectaccessreviews'], ['create']),
  // It offers metrics with these.
  {
    ...rule('', ['services'], ['create', 'patch', 'delete']),
    resourceNames: [METRICS_SERVICE.name],
  },
  {
    ...rule('apiregistration.k8s.io', ['apiservices'], ['get', 'create', 'patch', 'delete']),
    resourceNames: ['v1beta1.metrics.k8s.io'],
  },
]

/** The permissions for `kubectl top`: as with metrics-server, anyone who may view pods has them. */
const METRICS_RULES = [rule('metrics.k8s.io', ['nodes', 'pods'], ['get', 'list'])]
const FOR_VIEWERS = Object.fromEntries(
  ['view', 'edit', 'admin'].map((role) => [
    `rbac.authorization.k8s.io/aggregate-to-${role}`,
    'true',
  ]),
)

/** The same priority as that of Kubernetes' scheduler and controllers. */
const FLOW_SCHEMA: KubeObject = {
  apiVersion: FLOW_CONTROL,
  kind: 'FlowSchema',
  metadata: { name: COMPONENTS_SCHEMA },
  spec: {
    matchingPrecedence: 800,
    priorityLevelConfiguration: { name: 'workload-high' },
    distinguisherMethod: { type: 'ByNamespace' },
    rules: [
      {
        subjects: [SYNCER_USER, DNS_USER].map((name) => ({ kind: 'User', user: { name } })),
        resourceRules: [
          {
            verbs: ['*'],
            apiGroups: ['*'],
            resources: ['*'],
            namespaces: ['*'],
            clusterScope: true,
          },
        ],
        nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
      },
    ],
  },
}

const GRANTS: readonly KubeObject[] = [
  clusterRole('vplane:syncer', RULES),
  clusterRoleBinding('vplane:syncer', SYNCER_USER),
  clusterRole('vplane:dns', DNS_RULES),
  clusterRoleBinding('vplane:dns', DNS_USER),
  clusterRole('vplane:metrics-reader', METRICS_RULES, FOR_VIEWERS),
  FLOW_SCHEMA,
]

/** Grants the permissions of the syncer and the DNS server, and allows the host's cluster IPs. */
export async function prepareSync(
  api: Pick<PlaneApi, 'apply' | 'delete' | 'get' | 'patch'>,
  { ranges, signal }: { ranges: ServiceRanges; signal: AbortSignal },
): Promise<void> {
  await Promise.all([
    ...GRANTS.map((object) => api.apply(pathOf(object), object, { signal })),
    ensureServiceRanges(api, ranges, signal),
  ])
}

/** Takes the permissions of the syncer and the DNS server back. The ranges stay: Services keep their addresses. */
export async function revokeSync(
  api: Pick<PlaneApi, 'delete'>,
  signal: AbortSignal,
): Promise<void> {
  await Promise.all(GRANTS.map((object) => api.delete(pathOf(object), { signal })))
}

function pathOf({ apiVersion, kind, metadata }: KubeObject): string {
  return `/apis/${apiVersion}/${kind.toLowerCase()}s/${metadata.name}`
}

function clusterRole(
  name: string,
  rules: readonly object[],
  labels: Record<string, string> = {},
): KubeObject {
  return { apiVersion: `${GROUP}/v1`, kind: 'ClusterRole', metadata: { name, labels }, rules }
}

function clusterRoleBinding(name: string, user: string): KubeObject {
  return {
    apiVersion: `${GROUP}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name },
    subjects: [{ kind: 'User', apiGroup: GROUP, name: user }],
  }
}

function rule(group: string, resources: string[], verbs: string[]) {
  return { apiGroups: [group], resources, verbs }
}
