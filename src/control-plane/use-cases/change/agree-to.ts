import { VplaneError } from '../../../shared/errors.ts'
import type { PlanStep } from '../../../shared/plan-step.ts'
import type { Ui } from '../../../shared/ui.ts'

export interface Consent {
  isConfirmed: boolean
  /** Only show what would be done. @default false */
  isDryRun?: boolean | undefined
}

/** An operation as it is shown before it begins. */
export interface Proposal extends Consent {
  /** What is said before its steps, one per line. @default nothing */
  lines?: readonly string[]
  /** @default none are listed */
  steps?: readonly PlanStep[] | undefined
  /** What is said after its steps, one per line. @default nothing */
  effects?: readonly string[]
  question: string
  /** The error after a no: what was left unchanged. */
  refusal: string
}

/**
 * Shows what an operation will do, and asks; returns false in a dry run.
 * @throws {VplaneError} `ABORTED` after a no, `USAGE` when vplane cannot prompt.
 */
export async function agreeTo(
  ui: Pick<Ui, 'confirm' | 'note' | 'plan' | 'print'>,
  { effects = [], isConfirmed, isDryRun = false, lines = [], question, refusal, steps }: Proposal,
): Promise<boolean> {
  const say = (line: string) => (isDryRun ? ui.print(line) : ui.note(line))
  lines.forEach(say)
  if (steps !== undefined) {
    ui.plan(steps, isDryRun ? 'result' : 'note')
  }
  effects.forEach(say)
  if (isDryRun) {
    return false
  }
  if (!isConfirmed && !(await ui.confirm(question, { option: 'yes' }))) {
    throw new VplaneError('ABORTED', refusal)
  }
  return true
}
