import { z } from 'zod'
import { labels } from './labels.ts'

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
