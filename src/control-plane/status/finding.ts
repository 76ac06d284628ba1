import type { Hint } from '../../shared/hint.ts'

/** What a look at the machine found. */
export interface Finding {
  /** What was looked at: `disk`. */
  subject: string
  /** `problem` keeps vplane from working, `warning` may become one. */
  level: 'ok' | 'warning' | 'problem'
  message: string
  /** What to do about it, or what of several. */
  hint?: Hint | readonly Hint[]
}
