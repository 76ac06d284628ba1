import * as z from 'zod'
import { keyPatterns } from './key-patterns.ts'
import { OPTIONAL_KINDS, POD_PERMISSIONS } from './host-spec.ts'
import { objectName, replicas, workloadFields } from './workload-fields.ts'

/** The schema of `sync` in a user's spec. */
export const syncField = z
  .strictObject({
    enabled: z.boolean().optional().describe('Whether the plane runs pods. The default is true.'),
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
          .describe('Permissions that Pod Security "baseline" does not grant.'),
        csiDrivers: z
          .array(z.string().min(1))
          .optional()
          .describe('CSI drivers of the host that pods may use in volumes of type csi.'),
      })
      .optional()
      .describe('Permissions of pods in addition to Pod Security "baseline".'),
    kinds: z
      .partialRecord(z.enum(OPTIONAL_KINDS), z.boolean())
      .optional()
      .describe(
        'Kinds of objects that the syncer creates on the host, or not: "ingresses: false". By default it creates all.',
      ),
    labels: keyPatterns('app')
      .optional()
      .describe(
        'Keys of labels that objects on the host keep: "app", "example.com/*", or "*" for all. All others are renamed there, with the selectors that name them. The default is none.',
      ),
    annotations: keyPatterns('note')
      .optional()
      .describe(
        'Keys of annotations that objects on the host keep, written as those of labels, in addition to harmless ones. Dangerous ones must be named in full. All others stay in the control plane. The default is none.',
      ),
    runtimeClasses: z
      .array(objectName())
      .optional()
      .describe('Runtime classes of the host that pods may use, under the same names.'),
    storageClasses: z
      .array(objectName())
      .optional()
      .describe(
        'Storage classes of the host that claims may use, under the same names. In addition, "default" is the default class of the host.',
      ),
    ingressClasses: z
      .array(objectName())
      .optional()
      .describe(
        'Ingress classes of the host that ingresses may use, under the same names. An ingress without a class uses the default class of the host.',
      ),
    priorityClasses: z
      .record(objectName(), objectName())
      .optional()
      .describe(
        'Priority classes of the plane, each with the priority class of the host that its pods get. Other priority classes have no effect on the host.',
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
        "Whether the plane's nodes show those of the host. This needs cluster-wide permissions on the host.",
      ),
    scheduler: z
      .enum(['host', 'virtual'])
      .optional()
      .describe(
        'Which scheduler assigns its pods to nodes: "host", the default, or the plane\'s own with "virtual", which needs "nodes".',
      ),
    classes: z
      .boolean()
      .optional()
      .describe(
        "Whether the plane has the host's storage, ingress, runtime and priority classes. This needs cluster-wide permissions on the host.",
      ),
    extraRights: z
      .boolean()
      .optional()
      .describe(
        'Whether the syncer has permissions for kubectl debug, resizing of pods and custom endpoint slices. The default is yes if you may grant them.',
      ),
    metrics: z
      .boolean()
      .optional()
      .describe('Whether the plane has metrics of its pods, if the host has them.'),
    hostServices: z
      .record(serviceName(), serviceName())
      .optional()
      .describe(
        'Services of the host that pods can reach, by their names in the plane: "db.default: postgres.databases".',
      ),
    hostClusterDomain: z
      .string()
      .regex(/^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/, 'is not a domain such as "cluster.local"')
      .optional()
      .describe('DNS domain of the host\'s Services: "cluster.local".'),
    serviceRange: z
      .string()
      .regex(/^\d{1,3}(\.\d{1,3}){3}\/\d{1,2}$/, 'is not an IPv4 range such as "10.96.0.0/16"')
      .optional()
      .describe("Range of the host's cluster IPs, if the host does not report it."),
    ...workloadFields,
    replicas,
  })
  .optional()
  .describe('Runs the pods of the plane in its host namespace. Only with the kubernetes driver.')

function serviceName() {
  return z
    .string()
    .regex(
      /^[a-z]([-a-z0-9]*[a-z0-9])?\.[a-z0-9]([-a-z0-9]*[a-z0-9])?$/,
      'is not a Service and its namespace, such as "postgres.databases"',
    )
}
