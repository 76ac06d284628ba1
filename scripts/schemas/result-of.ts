import type { z } from 'zod'

/** A schema that says exactly what the type says: both ways round, or it does not compile. */
export function resultOf<Result>() {
  return <Schema extends z.ZodType<Result>>(
    schema: Result extends z.output<Schema> ? Schema : never,
  ): z.ZodType => schema
}
