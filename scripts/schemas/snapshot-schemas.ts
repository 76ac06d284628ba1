import { z } from 'zod'
import type { RestoreResult } from '../../src/commands/restore.ts'
import type { SnapshotCreateResult } from '../../src/commands/snapshot/create.ts'
import type { SnapshotDeleteResult } from '../../src/commands/snapshot/delete.ts'
import type { SnapshotListResult } from '../../src/commands/snapshot/list.ts'
import { resultOf } from './result-of.ts'
import { stepsSchema } from './step-schema.ts'

const text = z.string()
const textOrNull = z.string().nullable()

const snapshotFields = {
  id: textOrNull.describe('Null if it is a file.'),
  plane: text,
  kind: z.enum(['snapshot', 'bundle']),
  format: z.enum(['etcd', 'logical']).describe('The database of etcd, or all keys of any store.'),
  driver: text,
  namespace: textOrNull,
  createdAt: text.describe('ISO 8601.'),
  revision: z.int().describe('The last revision that it contains.'),
  sizeBytes: z.int().min(0),
  volumes: z
    .array(text)
    .nullable()
    .describe(
      "Volume claims of the plane's pods, whose data it does not contain; null if they were not listed.",
    ),
}

/** The results of the commands for snapshots and bundles. */
export const SNAPSHOT_SCHEMAS: Record<string, z.ZodType> = {
  restore: resultOf<RestoreResult>()(
    z.strictObject({
      name: text,
      driver: text,
      namespace: textOrNull,
      created: z.boolean().describe('Whether the plane was created from a bundle.'),
      formerSnapshot: textOrNull.describe(
        'Id of the snapshot of the previous data; null if none was taken.',
      ),
      steps: stepsSchema,
      restored: z.boolean().describe('False with --dry-run.'),
    }),
  ),
  'snapshot-create': resultOf<SnapshotCreateResult>()(
    z.strictObject({ ...snapshotFields, location: text.describe('Path or URL.') }),
  ),
  'snapshot-delete': resultOf<SnapshotDeleteResult>()(z.strictObject({ deleted: z.array(text) })),
  'snapshot-list': resultOf<SnapshotListResult>()(
    z.strictObject({ items: z.array(z.strictObject(snapshotFields)) }),
  ),
}
