import type { UserSpec } from '../../src/control-plane/spec/spec.ts'
import type { ManifestInput } from '../../src/manifests/templates/manifest-input.ts'

/** A spec that says something about everything. */
export const EVERYTHING: UserSpec = {
  version: '1.35',
  preset: 'ha',
  apiGroups: 'lean',
  extraSans: ['plane.example.com'],
  storage: { className: 'fast', size: '50Gi' },
  expose: {
    type: 'ingress',
    host: 'dev.example.com',
    ingressClassName: 'nginx',
    annotations: { 'example.com/team': 'a' },
  },
  images: {
    registry: 'registry.example.com/mirror',
    pullSecrets: ['mirror'],
    pullPolicy: 'Always',
  },
  pods: {
    nodeSelector: { 'example.com/pool': 'planes' },
    tolerations: [{ key: 'planes', operator: 'Exists' }],
    affinity: { nodeAffinity: {} },
    priorityClassName: 'high',
    labels: { team: 'a' },
    annotations: { 'example.com/note': 'yes' },
  },
  audit: { policy: { rules: [{ level: 'Metadata' }] } },
  encryption: { secrets: false },
  etcd: { replicas: 5, resources: { limits: { memory: '4Gi' } }, extraArgs: { 'max-wals': '3' } },
  apiServer: {
    replicas: 3,
    resources: { requests: { cpu: '1' }, limits: { memory: '0' } },
    extraArgs: { v: '4' },
    egress: ['10.20.0.0/16', 'namespace/webhooks'],
  },
  controllerManager: { replicas: 3 },
  sync: {
    image: 'registry.example.com/node:24',
    replicas: 2,
    nodes: true,
    scheduler: 'virtual',
    classes: true,
    storageClasses: ['fast'],
    ingressClasses: ['nginx'],
    runtimeClasses: ['kata'],
    priorityClasses: { urgent: 'tenant-high' },
  },
  scheduler: { replicas: 2, extraArgs: { v: '4', profiling: 'true' } },
  backup: { schedule: '30 3 * * *', store: 's3://backups/dev', keep: { daily: 30 }, secret: 's3' },
  idle: '8h',
  wake: { by: 'any' },
  renew: true,
  credentials: {
    flux: { user: 'flux', groups: ['gitops'], clusterRole: 'cluster-admin' },
    argo: {
      secret: 'dev-cluster',
      namespace: 'argocd',
      format: 'argocd',
      serviceAccount: 'ci/argo',
      address: 'exposed',
      lifetime: '1h',
    },
  },
  policies: { network: { egress: ['*'], ingress: ['namespace/monitoring'] } },
  metrics: { serviceMonitor: true, labels: { release: 'prometheus' } },
  keeper: { image: 'registry.example.com/node:24', resources: { limits: { memory: '1Gi' } } },
}

/** The planes whose objects are looked at: each has a golden file, and each is shown to a real host. */
export const VARIANTS: Record<string, [UserSpec, Partial<ManifestInput>?]> = {
  nano: [{}],
  'nano-ephemeral': [{ ephemeral: true }],
  'ha-ephemeral': [{ preset: 'ha', ephemeral: true }],
  'nano-existing': [{}, { initialState: 'existing' }],
  'nano-paused': [{}, { desired: 'paused' }],
  'nano-host-gives-ids': [{}, { hostGivesIds: true }],
  'nano-node-port': [{ expose: { type: 'node-port', nodePort: 30_443 } }],
  'nano-load-balancer': [{ expose: { type: 'load-balancer', annotations: { 'a.test/b': 'c' } } }],
  'nano-sqlite': [{ store: { kine: { sqlite: {} } } }],
  'nano-sqlite-existing': [
    {
      store: { kine: { sqlite: {} }, resources: { limits: { memory: '1Gi' } } },
      images: { kine: 'mirror.example.com/kine:v0.17.2-nocgo' },
      apiServer: { replicas: 2 },
      idle: '8h',
    },
    { initialState: 'existing' },
  ],
  'nano-postgres': [
    {
      store: {
        kine: { postgres: { host: 'db.databases.svc', credentialsSecret: 'owner' } },
      },
      apiServer: { replicas: 2 },
    },
    { initialState: 'existing' },
  ],
  'nano-shared-etcd': [
    {
      store: {
        etcd: {
          shared: {
            endpoints: ['https://etcd-0.etcd.databases.svc:2379', 'https://10.0.0.7:4001'],
            root: { credentialsSecret: 'owner' },
          },
        },
      },
      apiServer: { egress: [] },
    },
    { initialState: 'existing' },
  ],
  'ha-sqlite-ephemeral': [{ preset: 'ha', ephemeral: true, store: { kine: { sqlite: {} } } }],
  small: [{ preset: 'small' }],
  ha: [{ preset: 'ha' }],
  'nano-synced': [{ sync: {} }],
  'nano-scheduled': [{ sync: { nodes: true, scheduler: 'virtual' } }],
  'nano-kept': [{ backup: { schedule: 'daily', store: 's3://backups' } }],
  'nano-monitored': [{ metrics: { serviceMonitor: true } }],
  everything: [EVERYTHING],
}
