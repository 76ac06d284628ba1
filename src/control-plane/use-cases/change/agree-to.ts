import { VplaneError } from '../../../shared/errors.ts'
import type { Ui } from '../../../shared/ui.ts'

export interface Consent {
  isConfirmed: boolean
  /** Only show what would be done. @default false */
  isDryRun?: boolean | undefined
}

/** An operation as it is shown before it begins. */
export interface Proposal extends Consent {
  /** Its effects, one per line. */
  lines: readonly string[]
  question: string
  /** The error after a no: what was left unchanged. */
  refusal: string
}

/**
 * Shows what an operation will do, and asks; returns false in a dry run.
 * @throws {VplaneError} `ABORTED` after a no, `USAGE` when vplane cannot prompt.
 */
export async function agreeTo(
  ui: Pick<Ui, 'confirm' | 'note' | 'print'>,
  { isConfirmed, isDryRun = false, lines, question, refusal }: Proposal,
): Promise<boolean> {
  if (isDryRun) {
    lines.forEach((line) => ui.print(line))
    return false
  }
  lines.forEach((line) => ui.note(line))
  if (!isConfirmed && !(await ui.confirm(question, { option: 'yes' }))) {
    throw new VplaneError('ABORTED', refusal)
  }
  return true
}

/** Numbers steps as proposals show them. */
export function numbered(steps: readonly string[]): string[] {
  return steps.map((step, index) => `${index + 1}. ${step}`)
}

/** Formats steps as a section of a proposal. */
export function stepLines(steps: readonly string[]): string[] {
  return steps.length === 0
    ? ['There is nothing to do.']
    : ['Will be done:', ...numbered(steps).map((step) => `  ${step}`)]
}
