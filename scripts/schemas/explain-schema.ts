import { z } from 'zod'
import type { ExplainResult } from '../../src/cli/results/explain-result.ts'
import { ALL_COMPONENT_NAMES } from '../../src/control-plane/plane/plane.ts'
import { resultOf } from './result-of.ts'

const text = z.string()

const specField = {
  path: text,
  type: text,
  description: text.nullable(),
  required: z.boolean(),
}

/** The result of `vplane explain`. */
export const EXPLAIN_SCHEMA = resultOf<ExplainResult>()(
  z.strictObject({
    field: z
      .strictObject({
        ...specField,
        defaults: z
          .array(
            z.strictObject({
              value: z.unknown(),
              of: z
                .array(text)
                .describe('The presets or drivers that have this default; empty if all have it.'),
            }),
          )
          .describe('Empty if vplane sets no value.'),
        values: z
          .array(z.union([z.string(), z.number(), z.boolean()]))
          .nullable()
          .describe('The allowed values; null if they cannot be listed.'),
        minimum: z.number().nullable(),
        maximum: z.number().nullable(),
        fixed: z
          .strictObject({ why: text, instead: z.array(text) })
          .nullable()
          .describe('Why it cannot change, and what to do instead; null if it can.'),
        restarts: z
          .array(z.enum(ALL_COMPONENT_NAMES))
          .describe('The components that a change restarts.'),
      })
      .nullable()
      .describe('Null without PATH.'),
    fields: z.array(z.strictObject(specField)).describe('The fields below it.'),
  }),
)
