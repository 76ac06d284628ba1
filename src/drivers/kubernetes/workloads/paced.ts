/** Shares one result between calls within an interval, so that frequent calls cost nothing. */
export class Paced<T> {
  readonly #intervalMs: number
  #current: Promise<T> | undefined

  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs
  }

  /** Calls `read` unless a call runs or ended within the interval. */
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
