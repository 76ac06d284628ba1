import { z } from 'zod'

const text = z.string()
const textOrNull = text.nullable()

/** A failure, as `error` shows it. */
export const errorSchema = z.strictObject({
  code: text,
  message: text,
  hints: z.array(text).readonly(),
  exitCode: z.int().min(1).max(255),
})

/** What a command prints for one plane, or, with --selector or several NAMEs, for each of several. */
export function orSeveral<One extends z.ZodType>(plain: One) {
  // Both refer to one definition.
  const one = plain.meta({ id: 'one' })
  const item = z.strictObject({
    name: text,
    driver: textOrNull.describe('Null with several NAMEs without --driver.'),
    namespace: textOrNull,
    hostContext: textOrNull,
    outcome: z
      .enum(['done', 'failed', 'interrupted', 'not-started'])
      .describe('`not-started` if the command was interrupted before.'),
    error: errorSchema.nullable().describe('Null unless it failed or was interrupted.'),
    result: one.nullable().describe('What the command prints for a single NAME; null unless done.'),
  })
  return z.union([one, z.strictObject({ items: z.array(item) })])
}
