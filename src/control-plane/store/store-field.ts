import * as z from 'zod'
import { workloadFields } from '../spec/fields/workload-fields.ts'

const nothing = z.strictObject({})

/** The schema of `store` in a user's spec. */
export const storeField = z
  .strictObject({
    etcd: nothing.exactOptional().describe('An etcd of the plane alone. This is the default.'),
    kine: z
      .strictObject({
        sqlite: nothing.describe(
          'One file, which one process reads and writes. Only a plane of this machine has snapshots, and none has backups.',
        ),
      })
      .exactOptional()
      .describe('A database that kine serves to kube-apiserver.'),
    resources: workloadFields.resources.describe(
      'Requests and limits of the pod of kine, as "etcd.resources" has those of etcd. Only with the kubernetes driver.',
    ),
  })
  .refine(
    ({ etcd, kine }) => (etcd === undefined) !== (kine === undefined),
    'must have one of "etcd" and "kine"',
  )
  .optional()
  .describe('What stores the data of the plane: "etcd: {}" or "kine: { sqlite: {} }".')
