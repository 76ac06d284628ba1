import { z } from 'zod'

/** A schema of exactly this type; if one allows more than the other, it does not compile. */
export function resultOf<Result>() {
  return <Schema extends z.ZodType<Result>>(
    schema: Result extends z.output<Schema> ? Schema : never,
  ): z.ZodType => schema
}
