import { z } from 'zod'

/** A schema of exactly this type; if one allows more than the other, it does not compile. */
export function resultOf<Result>() {
  return <Schema extends z.ZodType<Result>>(
    schema: Result extends z.output<Schema> ? Schema : never,
  ): z.ZodType => schema
}

/** The fields of a command that starts or stops a plane. */
export function changedTo<Status extends string>(status: Status) {
  const steps = z.array(z.string()).describe('The steps that would be done; only with --dry-run.')
  return {
    name: z.string(),
    status: z.literal(status).nullable().describe('Null with --dry-run.'),
    steps,
  }
}
