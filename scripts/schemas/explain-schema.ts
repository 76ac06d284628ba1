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
                .describe('Presets or drivers; empty when it is the default of all.'),
            }),
          )
          .describe('Empty when vplane gives it no value.'),
        values: z
          .array(z.union([z.string(), z.number(), z.boolean()]))
          .nullable()
          .describe('Null when it is not a choice among a few.'),
        minimum: z.number().nullable(),
        maximum: z.number().nullable(),
        fixed: z
          .strictObject({ why: text, instead: z.array(text) })
          .nullable()
          .describe('Null when it may change.'),
        restarts: z
          .array(z.enum(ALL_COMPONENT_NAMES))
          .describe('The components that a change restarts.'),
      })
      .nullable()
      .describe('Null without a path.'),
    fields: z.array(z.strictObject(specField)).describe('The fields below it.'),
  }),
)
