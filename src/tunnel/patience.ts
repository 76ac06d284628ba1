export interface PatienceOptions {
  /** How long a connection may wait for an answer while a pod is being replaced, in milliseconds. @default 10_000 */
  longMs?: number
  /** How long it may wait when nothing has answered for longer than that, in milliseconds. @default 1000 */
  shortMs?: number
  /** Whether something is to be expected there from the first connection on. @default true */
  isExpected?: boolean
}

/** Failures that lie so far back say nothing about now. */
const FORGET_MS = 30_000

/**
 * How long a connection may wait. Clients try again by themselves, ten times and more: were each try to wait for long at
 * a plane that is down, its user would wait for minutes. Times are milliseconds from any point.
 */
export class Patience {
  readonly #longMs: number
  readonly #shortMs: number
  readonly #isExpected: boolean
  #hasAnswered = false
  #failures: { first: number; last: number } | undefined

  constructor({ isExpected = true, longMs = 10_000, shortMs = 1000 }: PatienceOptions = {}) {
    this.#longMs = longMs
    this.#shortMs = shortMs
    this.#isExpected = isExpected
  }

  /** For a connection that begins now. */
  budgetMs(now: number): number {
    if (!this.#isExpected && !this.#hasAnswered) {
      return this.#shortMs
    }
    if (this.#failures === undefined || now - this.#failures.last > FORGET_MS) {
      this.#failures = undefined
      return this.#longMs
    }
    return Math.max(this.#shortMs, this.#longMs - (now - this.#failures.first))
  }

  /** A connection that began at `startedAt` was not answered until now. */
  failed(startedAt: number, now: number): void {
    this.#failures = { first: this.#failures?.first ?? startedAt, last: now }
  }

  /** A connection was answered. */
  answered(): void {
    this.#hasAnswered = true
    this.#failures = undefined
  }
}
