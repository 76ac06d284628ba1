/** Hands values from many writers to one reader; a writer waits until its value was taken. */
export class Channel<T> {
  readonly #values: Array<{ value: T; taken: () => void }> = []
  #wake = Promise.withResolvers<void>()
  #isClosed = false

  /** Resolves when the reader has taken it, or will read no more. */
  async put(value: T): Promise<void> {
    if (this.#isClosed) {
      return
    }
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#values.push({ value, taken: resolve })
    this.#wake.resolve()
    await promise
  }

  /** Nothing more is taken; what waits is dropped. */
  close(): void {
    this.#isClosed = true
    for (const { taken } of this.#values.splice(0)) {
      taken()
    }
    this.#wake.resolve()
  }

  /** The values as they come, until it is closed. */
  async *read(): AsyncGenerator<T> {
    while (!this.#isClosed) {
      const next = this.#values.shift()
      if (next === undefined) {
        await this.#wake.promise
        this.#wake = Promise.withResolvers<void>()
      } else {
        next.taken()
        yield next.value
      }
    }
  }
}
