import { VplaneError } from '../../shared/errors.ts'
import type { ActionHint, Option } from '../../shared/hint.ts'
import type { PlanStep } from '../../shared/plan-step.ts'
import type { Ui } from '../../shared/ui.ts'
import { flagOf, hintText } from '../catalog/hint-text.ts'
import { stepLines } from '../catalog/step-text.ts'
import { createStepView, type StepView } from './step-view.ts'
import { canAnimate, paint, type Terminal, warningLine, whyNotAsk } from './terminal.ts'

export interface Choice {
  value: string
  /** What is shown. @default the value */
  label?: string
  description?: string
}

/** Talks to a person through stderr; results never pass through here. */
export class TerminalUi implements Ui {
  readonly #terminal: Terminal
  readonly #view: StepView
  readonly #signal: () => AbortSignal | undefined

  /** `signal` is asked for at each question, which it ends. @default nothing but an answer ends one */
  constructor(terminal: Terminal, signal: () => AbortSignal | undefined = () => undefined) {
    this.#terminal = terminal
    this.#view = createStepView(terminal)
    this.#signal = signal
  }

  /** Whether the current step is shown in a line that changes. */
  get isAnimated(): boolean {
    return !this.#terminal.isJson && canAnimate(this.#terminal)
  }

  /** Whether a person sits here, who can answer. */
  get canAsk(): boolean {
    return whyNotAsk(this.#terminal) === undefined
  }

  step(text: string): void {
    this.#view.end('done')
    this.#view.start(text)
  }

  failStep(): void {
    this.finish('failed')
  }

  progress(detail: string): void {
    this.#view.detail(detail)
  }

  warn(text: string, hint?: ActionHint): void {
    this.#view.line(warningLine(withHint(text, hint), this.#terminal))
  }

  note(text: string, hint?: ActionHint): void {
    if (!this.#terminal.isJson) {
      this.#view.line(withHint(text, hint))
    }
  }

  print(line: string): void {
    if (!this.#terminal.isJson) {
      this.finish()
      process.stdout.write(`${line}\n`)
    }
  }

  plan(steps: readonly PlanStep[], as: 'note' | 'result'): void {
    stepLines(steps).forEach((line) => (as === 'note' ? this.note(line) : this.print(line)))
  }

  finish(outcome: 'done' | 'failed' = 'done'): void {
    this.#view.end(outcome)
  }

  async confirm(question: string, { option }: { option: Option }): Promise<boolean> {
    this.#beforeQuestion(question, `pass ${flagOf(option)} to confirm`)
    const { confirm } = await import('./prompts.ts')
    return await confirm({ message: question, default: false }, this.#promptContext())
  }

  /** @throws {VplaneError} `USAGE` with the message `missing` when vplane cannot ask, `NOT_FOUND` without choices. */
  async chooseFrom(
    question: string,
    choices: readonly Choice[],
    { missing, hints = [] }: { missing: string; hints?: string[] },
  ): Promise<string> {
    if (whyNotAsk(this.#terminal) !== undefined) {
      throw new VplaneError('USAGE', missing, { hints })
    }
    if (choices.length === 0) {
      throw new VplaneError('NOT_FOUND', `${missing}, and there is nothing to choose from`, {
        hints,
      })
    }
    this.#view.end('done')
    const { select } = await import('./prompts.ts')
    const shown = choices.map(({ value, description, label = value }) => ({
      value,
      name: description === undefined ? label : `${label}  ${this.#dim(description)}`,
      short: label,
    }))
    return await select({ message: question, choices: shown }, this.#promptContext())
  }

  /** @throws {VplaneError} `USAGE` when vplane cannot ask, naming the flag that answers. */
  async secret(question: string, { flag }: { flag: string }): Promise<string> {
    this.#beforeQuestion(question, flag)
    const { password } = await import('./prompts.ts')
    return await password({ message: question }, this.#promptContext())
  }

  #beforeQuestion(question: string, hint: string): void {
    const reason = whyNotAsk(this.#terminal)
    if (reason !== undefined) {
      throw new VplaneError('USAGE', `cannot ask "${question}": ${reason}`, { hints: [hint] })
    }
    this.#view.end('done')
  }

  #promptContext() {
    const signal = this.#signal()
    return { output: this.#terminal.stderr, ...(signal === undefined ? {} : { signal }) }
  }

  #dim(text: string): string {
    return paint('dim', text, this.#terminal)
  }
}

function withHint(text: string, hint: ActionHint | undefined): string {
  return hint === undefined ? text : `${text}; ${hintText(hint)}`
}
