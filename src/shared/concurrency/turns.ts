/**
 * Lets a few begin at a time. One that takes long no longer counts, so that planes that wait for something, such as an
 * image, do not hold up others.
 */
export class Turns {
  readonly #options: { atOnce: number; longMs: number }
  readonly #waiting: Array<() => void> = []
  #taken = 0

  constructor(options: { atOnce: number; longMs: number }) {
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
    const timer = setTimeout(end, this.#options.longMs)
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
