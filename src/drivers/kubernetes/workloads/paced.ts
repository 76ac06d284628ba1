/** Shares one result between calls that come within an interval, so that frequent calls cost nothing. */
export class Paced<T> {
  readonly #intervalMs: number
  #current: Promise<T> | undefined

  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs
  }

  /** Returns the result of the running call, or of the last one while it is recent; otherwise calls `read`. */
  ask(read: () => Promise<T>): Promise<T> {
    if (this.#current === undefined) {
      const reading = read()
      this.#current = reading
      const forget = () => setTimeout(() => (this.#current = undefined), this.#intervalMs).unref()
      reading.then(forget, forget)
    }
    return this.#current
  }
}
