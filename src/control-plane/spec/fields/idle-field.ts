import { z } from 'zod'
import { parseDuration } from '../../../shared/text/duration.ts'

/** Shorter than this nobody means it, in milliseconds. */
const SHORTEST_MS = 1000

/** What a user's spec says of a plane that nobody uses. */
export const idleField = z
  .string()
  .refine(isIdleTime, 'is not a duration of a second or more, such as "30m"')
  .optional()
  .describe(
    'The plane pauses itself when nobody has used it for so long: "30m". Any use of its context starts it again.',
  )

function isIdleTime(text: string): boolean {
  try {
    return parseDuration(text) >= SHORTEST_MS
  } catch {
    // The schema says what is wrong, in the words of a spec.
    return false
  }
}
