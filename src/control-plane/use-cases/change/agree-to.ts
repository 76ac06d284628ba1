import { VplaneError } from '../../../shared/errors.ts'
import type { Ui } from '../../../shared/ui.ts'

/** What is about to be done, and what the user said of it beforehand. */
export interface Proposal {
  /** What it comes to, a line each. */
  lines: readonly string[]
  question: string
  /** The error for a no: what stays as it is. */
  refusal: string
  /** Do not ask. */
  isConfirmed: boolean
  /** Only say it. @default false */
  isDryRun?: boolean | undefined
}

/**
 * Shows what is about to be done, and asks: the one way in which commands that change a plane do.
 *
 * @returns whether it is to be done; false when it was only to be said.
 * @throws {VplaneError} `ABORTED` after a no, `USAGE` when nobody can be asked.
 */
export async function agreeTo(
  ui: Pick<Ui, 'confirm' | 'note'>,
  { isConfirmed, isDryRun = false, lines, question, refusal }: Proposal,
): Promise<boolean> {
  lines.forEach((line) => ui.note(line))
  if (isDryRun) {
    return false
  }
  if (!isConfirmed && !(await ui.confirm(question, { option: 'yes' }))) {
    throw new VplaneError('ABORTED', refusal)
  }
  return true
}

/** Steps with their numbers, as proposals show them. */
export function numbered(steps: readonly string[]): string[] {
  return steps.map((step, index) => `${index + 1}. ${step}`)
}
