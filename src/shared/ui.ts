import type { ActionHint, Option } from './hint.ts'
import type { PlanStep } from './plan-step.ts'

/** Messages for the user. The terminal adapter writes them to stderr; results are return values. */
export interface Ui {
  /** Starts a step of longer work; it ends with the next step, or when the command ends. */
  step(text: string): void
  /** Ends the open step as one that failed; the work continues another way. */
  failStep(): void
  /** Replaces the detail beside the current step, such as `12 of 80 MiB`. */
  progress(detail: string): void
  /** Warns about something that is not a failure, with a hint what to do about it. */
  warn(text: string, hint?: ActionHint): void
  /** Informs about something that requires no action, with a hint what the user can do. */
  note(text: string, hint?: ActionHint): void
  /** Prints a line of the result, such as what a dry run found. */
  print(line: string): void
  /** Lists the steps of a plan, as a note or as the result of a dry run. */
  plan(steps: readonly PlanStep[], as: 'note' | 'result'): void
  /** @throws {VplaneError} `USAGE` with the option that answers, when the user cannot be asked. */
  confirm(question: string, answer: { option: Option }): Promise<boolean>
}

/** A ui without output, which answers every question with no. */
export const silentUi: Ui = {
  step: () => {},
  failStep: () => {},
  progress: () => {},
  warn: () => {},
  note: () => {},
  print: () => {},
  plan: () => {},
  confirm: () => Promise.resolve(false),
}
