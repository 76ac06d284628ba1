import type { Json } from '../../src/shared/json-fields.ts'
import { collectionPath, type Resource } from '../../src/shared/kube/collections.ts'
import type { KubeObject } from '../../src/shared/kube/kube-object.ts'
import { claim, service } from '../support/host/planes/workloads.ts'
import { oneOf } from '../support/random-numbers.ts'
import type { Prey } from './hostile-values.ts'
import { probePod, type ProbeTarget } from './probe-pod.ts'

export interface KindOptions {
  targets: readonly ProbeTarget[]
  /** What all its Secrets have. */
  mark: string
  prey: Prey
  random: () => number
}

/** A kind of objects that the tenant makes, changes and ends. */
export interface TenantKind {
  kind: string
  /** The path of its objects. */
  collection: string
  /** Those that it gets beside plain ones. */
  names: readonly string[]
  /** How many there are at once. */
  most: number
  hasStatus: boolean
  base: (name: string) => { metadata: KubeObject['metadata'] }
  /** Whether those that others made are changed and ended, too. @default false */
  isShared?: boolean
  /** What is made in it at once, with the path of its collection. @default nothing */
  content?: (name: string) => readonly [string, KubeObject]
}

const NAMESPACE = 'default'
/** Where quotas and limits are, which would keep the tenant from making pods. */
const BOUNDED = 'kube-public'
/** Names that could be those of other objects on the host. */
const NAMES = ['a', 'a-x-default', 'a-x-default-x-dev', 'kube-root-ca.crt', 'vplane-dev-ca', 'own']
/** Namespaces whose names could be taken for a part of that of an object on the host. */
const NAMESPACES = ['x', 'default-x-dev', 'x-default', 'dev']
const CLASSES = ['default', 'local-path', 'shared-path', 'nginx', 'runc', 'system-node-critical']

/** How many objects there are at once, of kinds that cost more than others. */
const MOST: Partial<Record<Resource, number>> = { persistentvolumeclaims: 5, pods: 8 }
const WITHOUT_STATUS: readonly Resource[] = [
  'configmaps',
  'endpointslices',
  'networkpolicies',
  'secrets',
]
const SHARED_MOST = 10

/** The kinds that are synced, and those that its host must not notice, each with what makes an object valid. */
export function tenantKinds(options: KindOptions): TenantKind[] {
  return [...syncedKinds(options), ...namespaceKinds(options), ...clusterKinds(options)]
}

/** The version of the API that has a collection: `apps/v1`. */
export function apiVersionOf(collection: string): string {
  return /^\/apis?\/(.*?\bv\d\w*)\//.exec(collection)?.[1] ?? ''
}

function syncedKinds({ mark, targets }: KindOptions): TenantKind[] {
  const data = { a: btoa(mark) }
  const selector = { matchLabels: { app: 'own' } }
  const kind = (title: string, resource: Resource, base: TenantKind['base']): TenantKind => ({
    kind: title,
    collection: collectionPath(resource, NAMESPACE),
    names: NAMES,
    most: MOST[resource] ?? 20,
    hasStatus: !WITHOUT_STATUS.includes(resource),
    base,
  })
  return [
    kind('Pod', 'pods', (name) => probePod(name, targets)),
    kind('Pod', 'pods', (name) => withVolumes(probePod(name, targets))),
    kind('Secret', 'secrets', (name) => ({ ...named(name), data })),
    kind('ConfigMap', 'configmaps', (name) => ({ ...named(name), data: { a: 'b' } })),
    kind('Service', 'services', (name) => service(name)),
    kind('PersistentVolumeClaim', 'persistentvolumeclaims', (name) => claim(name)),
    kind('EndpointSlice', 'endpointslices', (name) => ({
      metadata: { name, labels: { 'kubernetes.io/service-name': 'own' } },
      addressType: 'IPv4',
      endpoints: [],
    })),
    kind('Ingress', 'ingresses', (name) => ({
      ...named(name),
      spec: { defaultBackend: { service: { name: 'own', port: { number: 80 } } } },
    })),
    kind('NetworkPolicy', 'networkpolicies', (name) => ({
      ...named(name),
      spec: { podSelector: {}, egress: [{}], ingress: [{}] },
    })),
    kind('PodDisruptionBudget', 'poddisruptionbudgets', (name) => ({
      ...named(name),
      spec: { minAvailable: 0, selector },
    })),
  ]
}

/** Namespaces, and what bounds what is in one. */
function namespaceKinds({ prey, targets }: KindOptions): TenantKind[] {
  const bounds = { names: NAMES, most: 2, hasStatus: false }
  return [
    {
      ...bounds,
      kind: 'ResourceQuota',
      collection: collectionPath('resourcequotas', BOUNDED),
      base: (name) => ({ ...named(name), spec: { hard: { pods: '10', 'count/secrets': '50' } } }),
    },
    {
      ...bounds,
      kind: 'LimitRange',
      collection: collectionPath('limitranges', BOUNDED),
      base: (name) => ({
        ...named(name),
        spec: { limits: [{ type: 'Container', default: { cpu: '1' } }] },
      }),
    },
    {
      kind: 'Namespace',
      collection: collectionPath('namespaces'),
      names: [...NAMESPACES, ...prey.namespaces],
      most: SHARED_MOST,
      hasStatus: true,
      isShared: true,
      base: named,
      content: (name) => [collectionPath('pods', name), probePod('own', targets)],
    },
  ]
}

function clusterKinds({ prey, random }: KindOptions): TenantKind[] {
  const one = <T>(all: readonly T[]) => oneOf(all, random)
  const kind = (
    title: string,
    collection: string,
    base: (name: string) => Json & { metadata: KubeObject['metadata'] },
  ): TenantKind => ({ kind: title, collection, names: CLASSES, most: 5, hasStatus: false, base })
  const shared = { most: SHARED_MOST, hasStatus: true, isShared: true }
  return [
    {
      ...kind('Node', collectionPath('nodes'), (name) => {
        const address = one(prey.addresses)
        return {
          ...named(name),
          spec: { providerID: `vplane://${one(prey.nodes)}` },
          status: { addresses: [{ type: one(['Hostname', 'InternalIP']), address }] },
        }
      }),
      ...shared,
      names: prey.nodes,
    },
    {
      ...kind('PersistentVolume', collectionPath('persistentvolumes'), (name) => ({
        ...named(name),
        spec: {
          accessModes: ['ReadWriteOnce'],
          capacity: { storage: '1Mi' },
          storageClassName: one(['', ...CLASSES]),
          persistentVolumeReclaimPolicy: one(['Delete', 'Retain']),
          ...one([
            {},
            { claimRef: { namespace: one(prey.namespaces), name: one([...prey.names, ...NAMES]) } },
            { claimRef: { namespace: NAMESPACE, name: one(NAMES) } },
          ]),
          ...one([
            { hostPath: { path: '/etc/kubernetes' } },
            { nfs: { server: one(prey.addresses), path: '/' } },
            { csi: { driver: 'local.csi.example.com', volumeHandle: one(prey.names) } },
            { local: { path: '/var/lib' }, nodeAffinity: onNode(one(prey.nodes)) },
          ]),
        },
      })),
      ...shared,
      names: prey.names,
    },
    kind('StorageClass', collectionPath('storageclasses'), (name) => ({
      ...named(name),
      provisioner: one(['rancher.io/local-path', 'kubernetes.io/no-provisioner']),
    })),
    kind('VolumeAttributesClass', '/apis/storage.k8s.io/v1/volumeattributesclasses', (name) => ({
      ...named(name),
      driverName: 'local.csi.example.com',
      parameters: { a: 'b' },
    })),
    kind('PriorityClass', collectionPath('priorityclasses'), (name) => ({
      ...named(name),
      value: 1_000_000_000,
    })),
    kind('RuntimeClass', collectionPath('runtimeclasses'), (name) => ({
      ...named(name),
      handler: 'runc',
    })),
    kind('IngressClass', collectionPath('ingressclasses'), (name) => ({
      ...named(name),
      spec: { controller: 'k8s.io/ingress-nginx' },
    })),
  ]
}

function named(name: string) {
  return { metadata: { name } }
}

function onNode(node: string) {
  const expression = { key: 'kubernetes.io/hostname', operator: 'In', values: [node] }
  return { required: { nodeSelectorTerms: [{ matchExpressions: [expression] }] } }
}

const MOUNTS = [{ name: 'v', mountPath: '/mnt/v' }]

/** The same pod with a volume, which random fields say more of. */
function withVolumes(made: ReturnType<typeof probePod>) {
  const [server, ...others] = made.spec.containers
  return {
    ...made,
    spec: {
      ...made.spec,
      containers: [{ ...server, volumeMounts: MOUNTS }, ...others],
      volumes: [{ name: 'v' }],
    },
  }
}
