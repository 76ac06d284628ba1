import { z } from 'zod'
import { POD_PERMISSIONS } from './host-spec.ts'
import { objectName, replicas, workloadFields } from './workload-fields.ts'

/** What a user's spec says of pods in the plane. */
export const syncField = z
  .strictObject({
    enabled: z.boolean().optional().describe('Whether it runs pods. The default is true.'),
    image: z
      .string()
      .min(1)
      .optional()
      .describe('Image with Node.js 24 or later: "docker.io/library/node:24-alpine".'),
    pods: z
      .strictObject({
        allow: z
          .array(z.enum(POD_PERMISSIONS))
          .optional()
          .describe('Ways out of a container that Pod Security "baseline" does not allow.'),
        csiDrivers: z
          .array(z.string().min(1))
          .optional()
          .describe('Drivers of the host that pods may use in volumes of type csi.'),
      })
      .optional()
      .describe('What pods may have beyond what Pod Security "baseline" allows.'),
    runtimeClasses: z
      .array(objectName())
      .optional()
      .describe('Runtime classes of the host that pods may use, under the same names.'),
    storageClasses: z
      .array(objectName())
      .optional()
      .describe(
        'Storage classes of the host that claims may name, under the same names. Besides them there is "default", which is the default of the host.',
      ),
    ingressClasses: z
      .array(objectName())
      .optional()
      .describe(
        'Ingress classes of the host that ingresses may name, under the same names. An ingress without a class gets the default of the host.',
      ),
    priorityClasses: z
      .record(objectName(), objectName())
      .optional()
      .describe(
        'Priority classes of the host, each by the name of the priority class of the plane that stands for it; others mean nothing to the host.',
      ),
    dnsImage: z
      .string()
      .min(1)
      .optional()
      .describe('Image of CoreDNS: "registry.k8s.io/coredns/coredns:v1.14.6".'),
    nodes: z
      .boolean()
      .optional()
      .describe(
        "Whether the plane's nodes are like those of the host, which takes rights in all of it.",
      ),
    scheduler: z
      .enum(['host', 'virtual'])
      .optional()
      .describe(
        'Who chooses the nodes of its pods: the scheduler of the host, which is the default, or one of the plane, which needs "nodes".',
      ),
    classes: z
      .boolean()
      .optional()
      .describe(
        "Whether the plane has the host's storage, ingress, runtime and priority classes, which takes rights in all of it.",
      ),
    extraRights: z
      .boolean()
      .optional()
      .describe(
        'Rights for kubectl debug, resizing of pods and endpoint slices of your own; without it as far as you may grant them.',
      ),
    metrics: z.boolean().optional().describe('Metrics of its pods, where the host has them.'),
    hostServices: z
      .record(serviceName(), serviceName())
      .optional()
      .describe(
        'Services of the host that pods reach, by their names in the plane: "db.default: postgres.databases".',
      ),
    hostClusterDomain: z
      .string()
      .regex(/^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/, 'is not a domain such as "cluster.local"')
      .optional()
      .describe('What names of the host\'s Services end with: "cluster.local".'),
    serviceRange: z
      .string()
      .regex(/^\d{1,3}(\.\d{1,3}){3}\/\d{1,2}$/, 'is not an IPv4 range such as "10.96.0.0/16"')
      .optional()
      .describe("Range of the host's cluster IPs, where the host does not say it."),
    ...workloadFields,
    replicas,
  })
  .optional()
  .describe(
    'Lets the plane run pods: they run in its host namespace. Only with the kubernetes driver.',
  )

/** A Service and its namespace. */
function serviceName() {
  return z
    .string()
    .regex(
      /^[a-z]([-a-z0-9]*[a-z0-9])?\.[a-z0-9]([-a-z0-9]*[a-z0-9])?$/,
      'is not a Service and its namespace, such as "postgres.databases"',
    )
}
