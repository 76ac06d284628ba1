import { z } from 'zod'
import type { PlaneSpec } from '../../src/control-plane/spec.ts'

const component = z.strictObject({
  extraArgs: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
  goGc: z.int(),
})

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
  etcd: component,
  apiServer: component,
  controllerManager: component,
}) satisfies z.ZodType<PlaneSpec>
