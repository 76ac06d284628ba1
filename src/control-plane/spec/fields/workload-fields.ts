import * as z from 'zod'
import { labels } from './labels.ts'
import { isQuantity } from './quantity.ts'

/** The schema of a Kubernetes quantity. */
export const quantity = z
  .string({ error: 'must be a string: put it in quotes, such as "100m" or "256Mi"' })
  .refine(isQuantity, 'is not a quantity such as "100m" or "256Mi"')

const quantities = z.record(
  z.string().regex(/^[a-z][A-Za-z0-9./-]*$/, 'is not the name of a resource such as "memory"'),
  quantity,
)

/** The schema of a component's fields about its pods. */
export const workloadFields = {
  resources: z
    .strictObject({
      requests: quantities
        .optional()
        .describe('What the host reserves for each pod: "memory: 256Mi".'),
      limits: quantities.optional().describe('What each pod may use at most: "memory: 1Gi".'),
    })
    .optional()
    .describe(
      'Requests and limits of its pods. They override single values of the preset; "0" removes one. GOMEMLIMIT is 90 % of the memory limit. Only with the kubernetes driver.',
    ),
}

/** The schema of the number of pods of a component without members. */
export const replicas = z
  .int()
  .min(1)
  .max(9)
  .optional()
  .describe('Number of pods. The default comes from the preset. Only with the kubernetes driver.')

/** Two members tolerate no more failures than one, and four no more than three. */
export const etcdReplicas = z
  .literal([1, 3, 5])
  .optional()
  .describe(
    'Number of members. The default comes from the preset. Only with the kubernetes driver.',
  )

/** The schema of an object's name. */
export function objectName() {
  return z
    .string()
    .max(253)
    .regex(/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/, 'is not a valid object name')
}

/** What a user adds to the pods of a component, as in the template of a Deployment. */
export interface PodTemplate {
  metadata?:
    | {
        labels?: Record<string, string> | undefined
        annotations?: Record<string, string> | undefined
      }
    | undefined
  spec?: Record<string, unknown> | undefined
}

/** Fields of a pod with which no component of a plane works. */
const IMPOSSIBLE = [
  'activeDeadlineSeconds',
  'ephemeralContainers',
  'hostNetwork',
  'hostname',
  'nodeName',
  'restartPolicy',
  'setHostnameAsFQDN',
  'subdomain',
]

/** The schema of a component's pod template. */
export const podTemplate = z
  .strictObject({
    metadata: z
      .strictObject({
        labels: labels.optional().describe('Labels of its pods.'),
        annotations: z
          .record(z.string().min(1), z.string())
          .optional()
          .describe('Annotations of its pods.'),
      })
      .optional()
      .describe('Labels and annotations of its pods.'),
    spec: z
      .looseObject({})
      .superRefine((spec, context) => {
        for (const field of IMPOSSIBLE.filter((one) => spec[one] !== undefined)) {
          const message = `"${field}" would keep the component from its work: leave it out`
          context.addIssue({ code: 'custom', path: [field], message })
        }
      })
      .optional()
      .describe('Fields of the pods, such as more containers or volumes.'),
  })
  .optional()
  .describe(
    'What its pods have in addition, as in the template of a Deployment: more containers, volumes, labels or environment variables. It cannot change what vplane sets. Only with the kubernetes driver.',
  )
