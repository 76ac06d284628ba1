import type { SyncSpec } from '../../control-plane/spec/fields/host-spec.ts'

/** A rule of a Role or ClusterRole. */
export interface PolicyRule {
  apiGroups: string[]
  resources: string[]
  resourceNames?: string[]
  verbs: string[]
}

const READ = ['get', 'list', 'watch']
const WRITE = [...READ, 'create', 'update', 'delete']

const CLASSES = [
  ['storage.k8s.io', 'storageclasses'],
  ['networking.k8s.io', 'ingressclasses'],
  ['node.k8s.io', 'runtimeclasses'],
  ['scheduling.k8s.io', 'priorityclasses'],
] as const

/** What a syncer may do in its namespace; `leaseName` is that of the Lease of the active one of several. */
export function hostRules(
  { kinds = {} }: Pick<SyncSpec, 'kinds'>,
  leaseName: string,
): PolicyRule[] {
  const synced = [
    ...(kinds.ingresses === false ? [] : [rule('networking.k8s.io', ['ingresses'], WRITE)]),
    ...(kinds.networkPolicies === false
      ? []
      : [rule('networking.k8s.io', ['networkpolicies'], WRITE)]),
    ...(kinds.podDisruptionBudgets === false
      ? []
      : [rule('policy', ['poddisruptionbudgets'], WRITE)]),
    ...(kinds.endpointSlices === false ? [] : [rule('discovery.k8s.io', ['endpointslices'], READ)]),
  ]
  return [
    rule('', ['pods', 'secrets'], [...WRITE, 'patch']),
    rule('', ['services', 'configmaps', 'persistentvolumeclaims'], WRITE),
    ...synced,
    rule('', ['pods/log'], ['get']),
    // kube-apiserver 1.35 and later requires both for websockets.
    rule('', ['pods/exec', 'pods/attach', 'pods/portforward'], ['get', 'create']),
    rule('', ['events'], ['list', 'watch']),
    {
      ...rule('coordination.k8s.io', ['leases'], [...READ, 'update', 'delete']),
      resourceNames: [leaseName],
    },
    rule('coordination.k8s.io', ['leases'], ['create']),
  ]
}

/** What the admin of a namespace may not grant on most hosts. */
export function extraRules({ kinds = {} }: Pick<SyncSpec, 'kinds'>): PolicyRule[] {
  const slices = rule('discovery.k8s.io', ['endpointslices'], ['create', 'update', 'delete'])
  return [
    ...(kinds.endpointSlices === false ? [] : [slices]),
    rule('', ['pods/ephemeralcontainers', 'pods/resize'], ['patch']),
  ]
}

/** What a syncer with metrics of its pods may do in its namespace, as in `templates/syncer/metrics-role.yaml`. */
export function metricsRules(): PolicyRule[] {
  return [rule('metrics.k8s.io', ['pods'], ['list'])]
}

/** What a syncer may do outside of its namespace. */
export function clusterRules({
  classes,
  metrics,
  nodes,
  scheduler,
}: Pick<SyncSpec, 'classes' | 'metrics' | 'nodes' | 'scheduler'>): PolicyRule[] {
  return [
    ...(nodes === true ? [rule('', ['nodes'], READ)] : []),
    ...(nodes === true && metrics !== false ? [rule('metrics.k8s.io', ['nodes'], ['list'])] : []),
    // A volume, which names the nodes that can use it, is read by the name in its claim and never listed.
    ...(scheduler === 'virtual' ? [rule('', ['persistentvolumes'], ['get'])] : []),
    ...(classes === true ? CLASSES.map(([group, resource]) => rule(group, [resource], READ)) : []),
  ]
}

function rule(group: string, resources: string[], verbs: string[]): PolicyRule {
  return { apiGroups: [group], resources, verbs }
}
