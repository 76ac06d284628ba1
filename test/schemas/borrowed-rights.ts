import type { UserSpec } from '../../src/control-plane/spec/spec.ts'
import type { Grant } from './policy-plane.ts'

interface BorrowedRight {
  what: string
  spec: UserSpec
  /** Other rights that it uses, which the user has. @default none */
  has?: Grant[]
  /** The right that the refusal names. */
  right: string
  /** What grants it in the namespace. */
  grants?: Grant[]
  /** What grants it in all of the cluster. */
  clusterGrants?: Grant[]
}

/** A plane that runs pods with what the editor of a namespace may grant. */
export const SYNC = { extraRights: false, metrics: false }

const READ = ['get', 'list', 'watch']
const NODES: Grant = ['', ['nodes'], READ]

/** What an operator may do, and the editor of a namespace may not. */
export const BORROWED: BorrowedRight[] = [
  {
    what: 'nodes of the host',
    spec: { sync: { ...SYNC, nodes: true } },
    right: 'get, list nodes in all of the cluster',
    clusterGrants: [NODES],
  },
  {
    what: 'metrics of nodes',
    spec: { sync: { ...SYNC, metrics: true, nodes: true } },
    has: [NODES, ['metrics.k8s.io', ['pods'], ['list']]],
    right: 'list nodes.metrics.k8s.io in all of the cluster',
    clusterGrants: [['metrics.k8s.io', ['nodes'], ['list']]],
  },
  {
    what: 'a scheduler of its own',
    spec: { sync: { ...SYNC, nodes: true, scheduler: 'virtual' } },
    has: [NODES],
    right: 'get persistentvolumes in all of the cluster',
    clusterGrants: [['', ['persistentvolumes'], ['get']]],
  },
  {
    what: 'classes of the host',
    spec: { sync: { ...SYNC, classes: true } },
    has: [
      ['networking.k8s.io', ['ingressclasses'], READ],
      ['node.k8s.io', ['runtimeclasses'], READ],
      ['scheduling.k8s.io', ['priorityclasses'], READ],
    ],
    right: 'get, list storageclasses.storage.k8s.io in all of the cluster',
    clusterGrants: [['storage.k8s.io', ['storageclasses'], READ]],
  },
  {
    what: 'extra rights of the syncer',
    spec: { sync: { metrics: false } },
    has: [['', ['pods/ephemeralcontainers', 'pods/resize'], ['patch']]],
    right: 'create, update endpointslices.discovery.k8s.io in namespace "team-a"',
    grants: [['discovery.k8s.io', ['endpointslices'], ['create', 'update', 'delete']]],
  },
  {
    what: 'metrics of pods',
    spec: { sync: { extraRights: false } },
    right: 'list pods.metrics.k8s.io in namespace "team-a"',
    grants: [['metrics.k8s.io', ['pods'], ['list']]],
  },
  {
    what: 'privileged pods',
    spec: { sync: { ...SYNC, pods: { allow: ['privileged'] } } },
    right: 'update namespaces "team-a" in namespace "team-a"',
    grants: [['', ['namespaces'], ['update'], ['team-a']]],
  },
  {
    what: 'another registry',
    spec: { images: { registry: 'registry.example.com/mirror' } },
    right: 'use images.vplane.dev "registry.example.com/mirror" in namespace "team-a"',
    grants: [['vplane.dev', ['images'], ['use'], ['registry.example.com/mirror']]],
  },
  {
    what: 'another image',
    spec: { sync: { ...SYNC, image: 'registry.example.com:5000/a/node:24@sha256:ab' } },
    right: 'use images.vplane.dev "registry.example.com:5000/a/node" in namespace "team-a"',
    grants: [['vplane.dev', ['images'], ['use'], ['registry.example.com:5000/a/node']]],
  },
  {
    what: 'backups without a Secret',
    spec: { backup: { schedule: 'daily', store: 's3://backups' } },
    right: 'use backupstores.vplane.dev "s3://backups" in namespace "team-a"',
    grants: [['vplane.dev', ['backupstores'], ['use']]],
  },
  {
    what: 'ServiceMonitors',
    spec: { metrics: { serviceMonitor: true } },
    right: 'create servicemonitors.monitoring.coreos.com in namespace "team-a"',
    grants: [['monitoring.coreos.com', ['servicemonitors'], ['create']]],
  },
]
