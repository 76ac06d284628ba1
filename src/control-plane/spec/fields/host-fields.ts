import { isIP } from 'node:net'
import * as z from 'zod'
import { toHostName } from '../../../shared/network/host-name.ts'
import type { Expose } from './host-spec.ts'
import { labels } from './labels.ts'
import { policiesField } from './policies-field.ts'
import { quantityValue } from './quantity.ts'
import { syncField } from './sync-field.ts'
import { objectName, quantity, workloadFields } from './workload-fields.ts'

const texts = z.record(z.string().min(1), z.string())

/** The schema of the fields of a user's spec that apply only to planes in a host namespace. */
export const hostFields = {
  preset: z
    .enum(['nano', 'small', 'ha'])
    .optional()
    .describe(
      'Number and resources of the pods: "nano" is one pod per component with little memory, "small" is one with more, "ha" is three etcd members and two pods per other component, spread over nodes. Only with the kubernetes driver.',
    ),
  storage: z
    .strictObject({
      className: objectName().optional().describe('StorageClass of the host cluster.'),
      size: quantity
        .refine((text) => (quantityValue(text) ?? 0) >= 1024 ** 3, 'is less than "1Gi"')
        .optional()
        .describe('Size of each volume, at least "1Gi".'),
    })
    .optional()
    .describe(
      "The volume of each etcd member. The default storage class is the host's. Only with the kubernetes driver.",
    ),
  expose: z
    .strictObject({
      type: z
        .enum(['none', 'node-port', 'load-balancer', 'ingress'])
        .optional()
        .describe(
          'A Service of type NodePort or LoadBalancer, or an Ingress; with "none", clients need a tunnel.',
        ),
      host: z
        .string()
        .refine(
          (text) => isAddress(text) || (toHostName(text) === text && !text.includes('*')),
          'is neither a host name nor an IP address',
        )
        .optional()
        .describe('Host name or IP address that clients use; an ingress needs a name.'),
      ingressClassName: objectName().optional().describe('IngressClass, for type "ingress".'),
      nodePort: z
        .int()
        .min(1)
        .max(65_535)
        .optional()
        .describe('Port on the nodes, for the types "node-port" and "load-balancer".'),
      annotations: texts.optional().describe('Annotations of the Service or the Ingress.'),
    })
    .superRefine(checkExpose)
    .optional()
    .describe(
      'How clients reach the API without a tunnel. An ingress must pass TLS through. Only with the kubernetes driver.',
    ),
  images: z
    .strictObject({
      registry: z
        .string()
        .regex(
          /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?(\/[a-z0-9._/-]*[a-z0-9])?$/,
          'is not a registry such as "registry.example.com/mirror"',
        )
        .optional()
        .describe(
          'Replaces registry.k8s.io, the registry of all images except those of helper and kine.',
        ),
      helper: z
        .string()
        .min(1)
        .optional()
        .describe(
          'Image with Node.js 24 or later that runs vplane\'s own programs, such as the syncer and the receiver of a snapshot during a restore: "docker.io/library/node:24-alpine".',
        ),
      kine: z
        .string()
        .min(1)
        .optional()
        .describe(
          'Image of kine without cgo, of the release that the plane has: "docker.io/rancher/kine:v0.17.2-nocgo". Without it, every upgrade of kine takes the image of its project.',
        ),
      pullSecrets: z
        .array(objectName())
        .optional()
        .describe('Secrets of the host namespace with the credentials of the registry.'),
      pullPolicy: z
        .enum(['IfNotPresent', 'Always', 'Never'])
        .optional()
        .describe('When the kubelet pulls an image, as imagePullPolicy of a pod.'),
    })
    .optional()
    .describe('Where the host pulls images from. Only with the kubernetes driver.'),
  sync: syncField,
  policies: policiesField,
  keeper: z
    .strictObject({
      image: z
        .string()
        .min(1)
        .optional()
        .describe('Image with Node.js 24 or later: "docker.io/library/node:24-alpine".'),
      ...workloadFields,
    })
    .optional()
    .describe(
      'The process that does work such as backups while no command runs. All planes of a host namespace that need it have the same one, with the settings of the plane that was created or changed last. Only with the kubernetes driver.',
    ),
  metrics: z
    .strictObject({
      serviceMonitor: z
        .boolean()
        .optional()
        .describe(
          'Whether ServiceMonitors exist, so that the Prometheus Operator of the host scrapes the plane.',
        ),
      labels: labels
        .optional()
        .describe(
          'Labels of the ServiceMonitors, by which a Prometheus selects them: "release: prometheus".',
        ),
    })
    .optional()
    .describe('How the plane is monitored. Only with the kubernetes driver.'),
  pods: z
    .strictObject({
      nodeSelector: texts.optional().describe('Labels of the nodes that the pods may run on.'),
      tolerations: z
        .array(z.looseObject({}))
        .optional()
        .describe('Taints of nodes that the pods tolerate, as in the spec of a pod.'),
      affinity: z.looseObject({}).optional().describe("Replaces the preset's whole affinity."),
      priorityClassName: objectName().optional().describe('PriorityClass of the host cluster.'),
      labels: labels.optional().describe('Labels of the pods.'),
      annotations: texts.optional().describe('Annotations of the pods.'),
    })
    .optional()
    .describe('Settings of all pods of the plane. Only with the kubernetes driver.'),
}

/** Whether a text is an IP address without a zone, which would be valid on one machine only. */
function isAddress(text: string): boolean {
  return isIP(text) !== 0 && !text.includes('%')
}

type UserExpose = { [Field in keyof Expose]?: Expose[Field] | undefined }

function checkExpose(
  { host, ingressClassName, nodePort, type }: UserExpose,
  context: z.RefinementCtx,
): void {
  if (type === 'ingress' && host === undefined) {
    context.addIssue('an ingress needs a host: expose.host')
  }
  if (type === 'ingress' && isAddress(host ?? '')) {
    context.addIssue('an ingress selects planes by host name: expose.host is an IP address')
  }
  if (ingressClassName !== undefined && type !== 'ingress') {
    context.addIssue('ingressClassName is only for type "ingress"')
  }
  if (nodePort !== undefined && type !== 'node-port' && type !== 'load-balancer') {
    context.addIssue('nodePort is only for the types "node-port" and "load-balancer"')
  }
}
