import { z } from 'zod'
import type { HostSpec } from '../../src/control-plane/host-spec.ts'
import type { PlaneSpec } from '../../src/control-plane/spec.ts'

const component = z.strictObject({
  extraArgs: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
  goGc: z.int(),
})

const texts = z.record(z.string(), z.string())

const workload = z.strictObject({
  replicas: z.int(),
  resources: z.strictObject({ requests: texts, limits: texts }),
})

const hostSpecSchema = z.strictObject({
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
  etcd: workload,
  apiServer: workload,
  controllerManager: workload,
}) satisfies z.ZodType<HostSpec>

/** A spec with every default filled in, as `describe` shows it. */
export const planeSpecSchema = z.strictObject({
  version: z.string(),
  etcdVersion: z.string(),
  ephemeral: z.boolean(),
  apiGroups: z.enum(['all', 'lean']),
  serviceRange: z.string(),
  clusterDomain: z.string(),
  extraSans: z.array(z.string()),
  pki: z.strictObject({ algorithm: z.enum(['ecdsa', 'rsa']) }),
  authentication: z.strictObject({ jwt: z.array(z.looseObject({})) }),
  featureGates: z.record(z.string(), z.boolean()),
  audit: z.strictObject({ policy: z.looseObject({}) }).exactOptional(),
  encryption: z.strictObject({ secrets: z.boolean() }).exactOptional(),
  host: hostSpecSchema.exactOptional(),
  etcd: component,
  apiServer: component,
  controllerManager: component,
}) satisfies z.ZodType<PlaneSpec>
