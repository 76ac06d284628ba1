import { z } from 'zod'
import type { CreateResult } from '../../src/cli/results/create-result.ts'
import type { SeveralResult } from '../../src/cli/results/several-result.ts'
import { resultOf } from './result-of.ts'
import { orSeveral } from './several-schema.ts'

const text = z.string()
const textOrNull = z.string().nullable()

const created = z.strictObject({
  name: text,
  driver: text,
  namespace: textOrNull,
  hostContext: textOrNull,
  version: text,
  created: z.boolean().describe('False if it already existed, with the same spec.'),
  ready: z.boolean().describe('False with --no-wait, and if it is paused.'),
  server: textOrNull.describe(
    'Address of its API; null if only a temporary tunnel of this command reached it.',
  ),
  context: textOrNull.describe('The context that points at it now.'),
  timings: z
    .array(z.strictObject({ phase: text, milliseconds: z.int().min(0) }))
    .nullable()
    .describe('How long each step took; only with --timings.'),
  plan: z
    .strictObject({
      objects: z
        .array(z.strictObject({ kind: text, name: text }))
        .describe('Objects in the host cluster, in the order in which they are applied.'),
      processes: z.array(text).describe('Processes on this machine.'),
    })
    .nullable()
    .describe('What would be created; only with --dry-run.'),
})

export const CREATE_SCHEMAS = {
  create: resultOf<CreateResult | SeveralResult<CreateResult>>()(orSeveral(created)),
}
