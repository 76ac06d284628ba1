import { isIP } from 'node:net'
import { z } from 'zod'
import { toHostName } from '../../../shared/network/host-name.ts'
import { quantityValue } from './quantity.ts'
import { syncField } from './sync-field.ts'
import { objectName, quantity, workloadFields } from './workload-fields.ts'

/** Labels that say whose a host object is: nobody else may set them. */
const OWN_LABEL = /^(vplane\.dev\/.*|app\.kubernetes\.io\/managed-by)$/

const texts = z.record(z.string().min(1), z.string())

const labels = z.record(
  z
    .string()
    .regex(
      /^([a-z0-9.-]+\/)?[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/,
      'is not the name of a label',
    )
    .refine((name) => !OWN_LABEL.test(name), 'is a label of vplane'),
  z
    .string()
    .regex(/^([A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?$/, 'is not the value of a label'),
)

/** The fields of a user's spec that only planes in a host namespace know. */
export const hostFields = {
  preset: z
    .enum(['nano', 'small', 'ha'])
    .optional()
    .describe(
      'How many pods, and what they ask for: "nano" is one of each with little memory, "small" one of each with more, "ha" three members of etcd and two of the others, spread over nodes. Only with the kubernetes driver.',
    ),
  storage: z
    .strictObject({
      className: objectName().optional(),
      size: quantity
        .refine((text) => (quantityValue(text) ?? 0) >= 1024 ** 3, 'is less than "1Gi"')
        .optional(),
    })
    .optional()
    .describe(
      "The volume of each etcd member; without a class the host's default is used. Only with the kubernetes driver.",
    ),
  expose: z
    .strictObject({
      type: z.enum(['none', 'node-port', 'load-balancer', 'ingress']).optional(),
      host: z
        .string()
        .refine(
          (text) => isAddress(text) || (toHostName(text) === text && !text.includes('*')),
          'is neither a host name nor an IP address',
        )
        .optional()
        .describe('Host name or IP address that clients use; an ingress needs a name.'),
      ingressClassName: objectName().optional(),
      nodePort: z.int().min(1).max(65_535).optional(),
      annotations: texts.optional().describe('Of the Service, or of the Ingress.'),
    })
    .superRefine(checkExpose)
    .optional()
    .describe(
      'How the API is reached without a tunnel. An ingress passes TLS through. Only with the kubernetes driver.',
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
        .describe('In place of registry.k8s.io, where all images are from but the helper image.'),
      helper: z
        .string()
        .min(1)
        .optional()
        .describe(
          'Image with Node.js 24 or later that runs what is vplane itself, such as its syncer and what takes a snapshot on a restore: "docker.io/library/node:24-alpine".',
        ),
      pullSecrets: z.array(objectName()).optional(),
      pullPolicy: z.enum(['IfNotPresent', 'Always', 'Never']).optional(),
    })
    .optional()
    .describe('Where the images come from. Only with the kubernetes driver.'),
  sync: syncField,
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
      'What looks after the plane while no command runs, such as its backups: it is there when something needs it. Only with the kubernetes driver.',
    ),
  metrics: z
    .strictObject({
      serviceMonitor: z
        .boolean()
        .optional()
        .describe('Whether ServiceMonitors tell a Prometheus operator of the host what to scrape.'),
      labels: labels
        .optional()
        .describe('Labels of these, by which a Prometheus selects them: "release: prometheus".'),
    })
    .optional()
    .describe('Who reads how the plane works. Only with the kubernetes driver.'),
  pods: z
    .strictObject({
      nodeSelector: texts.optional(),
      tolerations: z.array(z.looseObject({})).optional(),
      affinity: z
        .looseObject({})
        .optional()
        .describe("Takes the place of the preset's whole affinity."),
      priorityClassName: objectName().optional(),
      labels: labels.optional(),
      annotations: texts.optional(),
    })
    .optional()
    .describe('What all pods of the plane have. Only with the kubernetes driver.'),
}

/** An IP address that means the same on every machine. */
function isAddress(text: string): boolean {
  return isIP(text) !== 0 && !text.includes('%')
}

interface Expose {
  type?: string | undefined
  host?: string | undefined
  ingressClassName?: string | undefined
  nodePort?: number | undefined
}

function checkExpose({ host, ingressClassName, nodePort, type }: Expose, context: z.RefinementCtx) {
  if (type === 'ingress' && host === undefined) {
    context.addIssue('an ingress needs a host: expose.host')
  }
  if (type === 'ingress' && isAddress(host ?? '')) {
    context.addIssue('an ingress tells planes apart by name: expose.host is an IP address')
  }
  if (ingressClassName !== undefined && type !== 'ingress') {
    context.addIssue('ingressClassName is for type "ingress" alone')
  }
  if (nodePort !== undefined && type !== 'node-port' && type !== 'load-balancer') {
    context.addIssue('nodePort is for the types "node-port" and "load-balancer" alone')
  }
}
