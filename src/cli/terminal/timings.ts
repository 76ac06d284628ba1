import type { ActionHint, Option } from '../../shared/hint.ts'
import type { PlanStep } from '../../shared/plan-step.ts'
import type { Ui } from '../../shared/ui.ts'

export interface Timing {
  phase: string
  milliseconds: number
}

/** A ui that remembers how long each step took, beginning with what was before the first one. */
export class TimedUi implements Ui {
  readonly #ui: Ui
  readonly #now: () => number
  readonly #ended: Timing[] = []
  #current: { phase: string; startedAt: number }

  /** @param now milliseconds since the process started. @default those of Node.js */
  constructor(ui: Ui, now: () => number = () => performance.now()) {
    this.#ui = ui
    this.#now = now
    this.#current = { phase: 'Starting vplane', startedAt: 0 }
  }

  /** Every phase so far, including the current one. */
  timings(): Timing[] {
    return [...this.#ended, this.#timingOf(this.#now())]
  }

  step(text: string): void {
    const now = this.#now()
    this.#ended.push(this.#timingOf(now))
    this.#current = { phase: text, startedAt: now }
    this.#ui.step(text)
  }

  failStep(): void {
    this.#ui.failStep()
  }

  progress(detail: string): void {
    this.#ui.progress(detail)
  }

  warn(text: string, hint?: ActionHint): void {
    this.#ui.warn(text, hint)
  }

  note(text: string, hint?: ActionHint): void {
    this.#ui.note(text, hint)
  }

  print(line: string): void {
    this.#ui.print(line)
  }

  plan(steps: readonly PlanStep[], as: 'note' | 'result'): void {
    this.#ui.plan(steps, as)
  }

  confirm(question: string, answer: { option: Option }): Promise<boolean> {
    return this.#ui.confirm(question, answer)
  }

  #timingOf(now: number): Timing {
    const { phase, startedAt } = this.#current
    return { phase, milliseconds: Math.round(now - startedAt) }
  }
}
