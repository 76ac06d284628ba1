import { hintTexts } from '../../cli/catalog/hint-text.ts'
import { messageOf, VplaneError } from '../../shared/errors.ts'

/** An error as conditions show it. */
export function failureOf(error: unknown): { reason: string; message: string } {
  const reason = error instanceof VplaneError ? toReason(error.code) : 'Failed'
  return { reason, message: [messageOf(error), ...nextSteps(error)].join(' ') }
}

/** What to do now; options of a command that nobody has run are left out. */
function nextSteps(error: unknown): string[] {
  const hints = error instanceof VplaneError ? error.hints : []
  const steps = hints.filter((hint) => typeof hint === 'string' || hint.action !== undefined)
  return steps.length === 0 ? [] : [`(${hintTexts(steps).join('; ')})`]
}

/** `INVALID_SPEC` as conditions write it: `InvalidSpec`. */
function toReason(code: string): string {
  return code
    .toLowerCase()
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
}
