import { z } from 'zod'
import { isQuantity } from './quantity.ts'

/** An amount of a resource. */
export const quantity = z
  .string({ error: 'must be a string: put it in quotes, such as "100m" or "256Mi"' })
  .refine(isQuantity, 'is not a quantity such as "100m" or "256Mi"')

const quantities = z.record(
  z.string().regex(/^[a-z][A-Za-z0-9./-]*$/, 'is not the name of a resource such as "memory"'),
  quantity,
)

/** The fields of a component that say how its pods are run. */
export const workloadFields = {
  resources: z
    .strictObject({ requests: quantities.optional(), limits: quantities.optional() })
    .optional()
    .describe(
      'Requests and limits of its pods, added to those of the preset; "0" leaves one of the preset out. GOMEMLIMIT is 90 % of the memory limit. Only with the kubernetes driver.',
    ),
}

/** How many pods of a component without members of its own. */
export const replicas = z
  .int()
  .min(1)
  .max(9)
  .optional()
  .describe('How many pods; the preset says how many by default. Only with the kubernetes driver.')

/** How many members of etcd: two tolerate no more than one, four no more than three. */
export const etcdReplicas = z
  .literal([1, 3, 5])
  .optional()
  .describe(
    'How many members; the preset says how many by default. Only with the kubernetes driver.',
  )

/** The name of an object of the host. */
export function objectName() {
  return z
    .string()
    .max(253)
    .regex(/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/, 'is not the name of an object')
}
