export interface TurnsOptions {
  atOnce: number
  /** A turn that takes longer no longer counts, so that what waits for something does not hold up others. @default all count */
  longMs?: number
}

/** Lets a few begin at a time. */
export class Turns {
  readonly #options: TurnsOptions
  readonly #waiting: Array<() => void> = []
  #taken = 0

  constructor(options: TurnsOptions) {
    this.#options = options
  }

  /** Waits for a turn, which lasts until it is disposed, or until it has taken long. */
  async take(): Promise<Disposable> {
    if (this.#taken >= this.#options.atOnce) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#waiting.push(resolve)
      // The turn of the one that has ended goes to this one.
      await promise
    } else {
      this.#taken += 1
    }
    let isOver = false
    const end = () => {
      clearTimeout(timer)
      if (!isOver) {
        isOver = true
        this.#pass()
      }
    }
    const { longMs } = this.#options
    const timer = longMs === undefined ? undefined : setTimeout(end, longMs)
    return { [Symbol.dispose]: end }
  }

  #pass(): void {
    const next = this.#waiting.shift()
    if (next === undefined) {
      this.#taken -= 1
    } else {
      next()
    }
  }
}
