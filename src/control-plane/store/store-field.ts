import * as z from 'zod'

const nothing = z.strictObject({})

/** The schema of `store` in a user's spec. */
export const storeField = z
  .strictObject({
    etcd: nothing.exactOptional().describe('An etcd of the plane alone. This is the default.'),
    kine: z
      .strictObject({
        sqlite: nothing.describe(
          'One file, which one process reads and writes. It has no snapshots.',
        ),
      })
      .exactOptional()
      .describe('A database that kine serves to kube-apiserver. Only with the local driver.'),
  })
  .refine((store) => Object.keys(store).length === 1, 'must have one of "etcd" and "kine"')
  .optional()
  .describe('What stores the data of the plane: "etcd: {}" or "kine: { sqlite: {} }".')
