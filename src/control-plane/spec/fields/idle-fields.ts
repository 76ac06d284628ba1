import * as z from 'zod'
import { isRange } from '../../../shared/network/ip-range.ts'
import { isDuration } from '../../../shared/text/duration.ts'

/** The schema of `idle` in a user's spec. */
export const idleField = z
  .string()
  .refine(
    (text) => isDuration(text, { leastMs: 1000 }),
    'is not a duration of a second or more, such as "30m"',
  )
  .optional()
  .describe(
    'The plane pauses itself when it has not been used for this long: "30m". Any use of its context starts it again.',
  )

/** Which clients wake a plane that has paused itself. */
export interface WakeSpec {
  by: 'any'
  /** The ranges of their addresses. @default all */
  from?: string[]
}

/** The schema of `wake` in a user's spec. */
export const wakeField = z
  .strictObject({
    by: z
      .enum(['any', 'plugin'])
      .exactOptional()
      .describe(
        'What wakes the plane when it has paused itself: "any" client that connects to its address, or only the "plugin" in contexts that vplane wrote. The default is "any" with the local driver, and "plugin" with the kubernetes driver, where "any" needs a gateway in the host namespace, or that of an operator.',
      ),
    from: z
      .array(z.string().refine(isRange, 'is not a range of addresses such as "10.0.0.0/8"'))
      .min(1)
      .exactOptional()
      .describe(
        'Only clients from these ranges of addresses wake the plane: "10.0.0.0/8". It leaves out the probes of a load balancer. The default is all addresses. Only with the kubernetes driver and "by: any".',
      ),
  })
  .optional()
  .describe('How a plane with "idle" is started again.')
