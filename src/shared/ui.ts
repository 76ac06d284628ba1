import type { ActionHint, Option } from './hint.ts'

/**
 * What the domain and the adapters may say to a person. The terminal adapter writes to stderr only; results are
 * return values.
 */
export interface Ui {
  /** Starts a step of longer work; it ends with the next step, or when the command ends. */
  step(text: string): void
  /** Replaces the detail shown beside the current step, such as `12 of 80 MiB`. */
  progress(detail: string): void
  /** Says something that a person should know and that is no failure, and what to do about it. */
  warn(text: string, hint?: ActionHint): void
  /** Says something worth a line that nobody has to act on, and what somebody could do. */
  note(text: string, hint?: ActionHint): void
  /**
   * Asks for a yes.
   *
   * @throws {VplaneError} `USAGE` when nobody can be asked, naming the option that answers.
   */
  confirm(question: string, answer: { option: Option }): Promise<boolean>
}

/** A ui that says nothing and answers every question with no. */
export const silentUi: Ui = {
  step: () => {},
  progress: () => {},
  warn: () => {},
  note: () => {},
  confirm: () => Promise.resolve(false),
}
