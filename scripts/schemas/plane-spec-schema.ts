import {
  POD_SECURITY,
  type Policies,
  SERVICE_TYPES,
  VOLUME_TYPES,
} from '../../src/control-plane/spec/fields/policies-spec.ts'
import { z } from 'zod'
import type { BackupSpec } from '../../src/control-plane/spec/fields/backup-spec.ts'
import {
  CREDENTIAL_ADDRESSES,
  CREDENTIAL_FORMATS,
  type CredentialSpec,
} from '../../src/control-plane/spec/credentials/credentials-spec.ts'
import { ENCRYPTION_PROVIDERS } from '../../src/control-plane/spec/fields/encryption-spec.ts'
import {
  type HostSpec,
  OPTIONAL_KINDS,
  POD_PERMISSIONS,
  type SyncSpec,
} from '../../src/control-plane/spec/fields/host-spec.ts'
import type { PlaneSpec } from '../../src/control-plane/spec/spec.ts'

/** A schema of every field: the results of commands may have no other fields. */
type Fields<T> = { [Name in keyof Required<T>]: z.ZodType }

const component = z.strictObject({
  extraArgs: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
  goGc: z.int(),
})

const texts = z.record(z.string(), z.string())

const workload = z.strictObject({
  replicas: z.int(),
  resources: z.strictObject({ requests: texts, limits: texts }),
})

const syncSpecFields = {
  ...workload.shape,
  image: z.string(),
  pods: z
    .strictObject({ allow: z.array(z.enum(POD_PERMISSIONS)), csiDrivers: z.array(z.string()) })
    .exactOptional(),
  runtimeClasses: z.array(z.string()).exactOptional(),
  storageClasses: z.array(z.string()).exactOptional(),
  ingressClasses: z.array(z.string()).exactOptional(),
  priorityClasses: texts.exactOptional(),
  nodes: z.boolean().exactOptional(),
  scheduler: z.enum(['host', 'virtual']).exactOptional(),
  classes: z.boolean().exactOptional(),
  dnsImage: z.string(),
  kinds: z.partialRecord(z.enum(OPTIONAL_KINDS), z.boolean()).exactOptional(),
  labels: z.array(z.string()).exactOptional(),
  annotations: z.array(z.string()).exactOptional(),
  extraRights: z.boolean().exactOptional(),
  metrics: z.boolean().exactOptional(),
  hostServices: texts.exactOptional(),
  hostClusterDomain: z.string().exactOptional(),
  serviceRange: z.string().exactOptional(),
} satisfies Fields<SyncSpec>

const policyFields = {
  hostnames: z.array(z.string()),
  endpoints: z.array(z.string()),
  services: z.strictObject({
    types: z.array(z.enum(SERVICE_TYPES)),
    loadBalancerAddresses: z.array(z.string()),
  }),
  tolerations: z.array(z.string()),
  network: z
    .strictObject({ egress: z.array(z.string()), ingress: z.array(z.string()) })
    .exactOptional(),
  nodeSelector: texts.exactOptional(),
  volumes: z.array(z.enum(VOLUME_TYPES)).exactOptional(),
  podSecurity: z.enum(POD_SECURITY).exactOptional(),
} satisfies Fields<Policies>

const backupSpecFields = {
  schedule: z.string(),
  store: z.string().exactOptional(),
  keep: z.strictObject({ hourly: z.int(), daily: z.int(), weekly: z.int() }),
  secret: z.string().exactOptional(),
} satisfies Fields<BackupSpec>

const credentialSpecFields = {
  secret: z.string(),
  namespace: z.string().exactOptional(),
  format: z.enum(CREDENTIAL_FORMATS),
  user: z.string().exactOptional(),
  groups: z.array(z.string()).exactOptional(),
  serviceAccount: z.string().exactOptional(),
  clusterRole: z.string().exactOptional(),
  address: z.enum(CREDENTIAL_ADDRESSES),
  lifetime: z.string(),
} satisfies Fields<CredentialSpec>

const hostSpecFields = {
  preset: z.enum(['nano', 'small', 'ha']),
  storage: z.strictObject({ className: z.string().exactOptional(), size: z.string() }),
  expose: z.strictObject({
    type: z.enum(['none', 'node-port', 'load-balancer', 'ingress']),
    host: z.string().exactOptional(),
    ingressClassName: z.string().exactOptional(),
    nodePort: z.int().exactOptional(),
    annotations: texts,
  }),
  images: z.strictObject({
    registry: z.string(),
    kine: z.string().exactOptional(),
    pullSecrets: z.array(z.string()),
    pullPolicy: z.enum(['IfNotPresent', 'Always', 'Never']),
  }),
  pods: z.strictObject({
    nodeSelector: texts,
    tolerations: z.array(z.looseObject({})),
    affinity: z.looseObject({}).exactOptional(),
    priorityClassName: z.string().exactOptional(),
    labels: texts,
    annotations: texts,
  }),
  store: workload.exactOptional(),
  etcd: workload,
  apiServer: workload.extend({ egress: z.array(z.string()).exactOptional() }),
  controllerManager: workload,
  sync: z.strictObject(syncSpecFields).exactOptional(),
  policies: z.strictObject(policyFields).exactOptional(),
  scheduler: workload.exactOptional(),
  monitor: z.strictObject({ labels: texts }).exactOptional(),
  keeper: workload.extend({ image: z.string() }).exactOptional(),
} satisfies Fields<HostSpec>

const database = z.strictObject({
  host: z.string(),
  port: z.int().exactOptional(),
  database: z.string().exactOptional(),
  caFile: z.string().exactOptional(),
  credentialsFile: z.string().exactOptional(),
  credentialsSecret: z.string().exactOptional(),
})

const STORES_OF_KINE = z.strictObject({
  sqlite: z.strictObject({}).exactOptional(),
  postgres: database.exactOptional(),
  mysql: database.exactOptional(),
})

const etcdClient = {
  certificateFile: z.string().exactOptional(),
  keyFile: z.string().exactOptional(),
  credentialsSecret: z.string().exactOptional(),
}

const sharedEtcd = z.strictObject({
  endpoints: z.array(z.string()),
  caFile: z.string().exactOptional(),
  root: z
    .strictObject({
      ...etcdClient,
      clientCaFile: z.string().exactOptional(),
      clientCaKeyFile: z.string().exactOptional(),
    })
    .exactOptional(),
  client: z.strictObject({ ...etcdClient, prefix: z.string() }).exactOptional(),
})

const planeSpecFields = {
  version: z.string(),
  etcdVersion: z.string(),
  upgradingFrom: z.string().exactOptional(),
  isPastReturn: z.boolean().exactOptional(),
  etcdUpgradingFrom: z.string().exactOptional(),
  ephemeral: z.boolean(),
  store: z
    .strictObject({
      kine: STORES_OF_KINE.exactOptional(),
      etcd: z.strictObject({ shared: sharedEtcd }).exactOptional(),
    })
    .exactOptional(),
  kineVersion: z.string().exactOptional(),
  apiGroups: z.enum(['all', 'lean']),
  serviceRange: z.string(),
  clusterDomain: z.string(),
  serviceAccountIssuer: z.string().exactOptional(),
  extraSans: z.array(z.string()),
  pki: z.strictObject({ algorithm: z.enum(['ecdsa', 'rsa']) }),
  authentication: z.strictObject({ jwt: z.array(z.looseObject({})) }),
  featureGates: z.record(z.string(), z.boolean()),
  audit: z.strictObject({ policy: z.looseObject({}) }).exactOptional(),
  encryption: z
    .strictObject({ secrets: z.boolean(), provider: z.enum(ENCRYPTION_PROVIDERS).exactOptional() })
    .exactOptional(),
  backup: z.strictObject(backupSpecFields).exactOptional(),
  idle: z.string().exactOptional(),
  wake: z.strictObject({ by: z.literal('any') }).exactOptional(),
  renew: z.boolean().exactOptional(),
  credentials: z.record(z.string(), z.strictObject(credentialSpecFields)).exactOptional(),
  host: z.strictObject(hostSpecFields).exactOptional(),
  etcd: component.extend({ prefix: z.string().exactOptional() }),
  apiServer: component,
  controllerManager: component,
  scheduler: component.exactOptional(),
} satisfies Fields<PlaneSpec>

/** A spec with every default filled in, as `describe` shows it. */
export const planeSpecSchema = z.strictObject(planeSpecFields) satisfies z.ZodType<PlaneSpec>
