import type { Hint } from '../../shared/hint.ts'

/** The result of one check, such as by `doctor` or before a create. */
export interface Finding {
  /** What was checked: `disk`. */
  subject: string
  /** A `problem` prevents the operation, and a `warning` may become a problem. */
  level: 'ok' | 'warning' | 'problem'
  message: string
  hint?: Hint | readonly Hint[]
}
