import { flagOf, hintText } from '../../../src/cli/catalog/hint-text.ts'
import { stepLines } from '../../../src/cli/catalog/step-text.ts'
import { VplaneError } from '../../../src/shared/errors.ts'
import type { ActionHint, Option } from '../../../src/shared/hint.ts'
import type { PlanStep } from '../../../src/shared/plan-step.ts'
import type { Ui } from '../../../src/shared/ui.ts'

export interface RecordingUiOptions {
  /** Answers to questions, in order; a question beyond them is refused. @default [] */
  answers?: boolean[]
}

/** A ui that remembers what it was told. */
export class RecordingUi implements Ui {
  readonly steps: string[] = []
  /** The steps that failed before the work continued another way. */
  readonly failedSteps: string[] = []
  readonly details: string[] = []
  readonly warnings: string[] = []
  readonly notes: string[] = []
  readonly questions: string[] = []
  readonly #answers: boolean[]

  constructor({ answers = [] }: RecordingUiOptions = {}) {
    this.#answers = [...answers]
  }

  step(text: string): void {
    this.steps.push(text)
  }

  failStep(): void {
    this.failedSteps.push(...this.steps.slice(-1))
  }

  progress(detail: string): void {
    this.details.push(detail)
  }

  warn(text: string, hint?: ActionHint): void {
    this.warnings.push(hint === undefined ? text : `${text}; ${hintText(hint)}`)
  }

  note(text: string, hint?: ActionHint): void {
    this.notes.push(hint === undefined ? text : `${text}; ${hintText(hint)}`)
  }

  print(line: string): void {
    this.notes.push(line)
  }

  plan(steps: readonly PlanStep[]): void {
    this.notes.push(...stepLines(steps))
  }

  confirm(question: string, { option }: { option: Option }): Promise<boolean> {
    this.questions.push(question)
    const answer = this.#answers.shift()
    return answer === undefined
      ? Promise.reject(new VplaneError('USAGE', `cannot ask "${question}": use ${flagOf(option)}`))
      : Promise.resolve(answer)
  }
}
