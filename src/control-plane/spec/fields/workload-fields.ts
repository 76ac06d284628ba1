import { z } from 'zod'
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
