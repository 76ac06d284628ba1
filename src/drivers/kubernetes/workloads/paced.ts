/** Answers all who ask within a while of each other from one look, so that asking often costs nothing. */
export class Paced<T> {
  readonly #intervalMs: number
  #look: Promise<T> | undefined

  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs
  }

  /** What the look that is running finds, or the last one if it is recent; otherwise looks. */
  ask(look: () => Promise<T>): Promise<T> {
    if (this.#look === undefined) {
      const looking = look()
      this.#look = looking
      const forget = () => setTimeout(() => (this.#look = undefined), this.#intervalMs).unref()
      looking.then(forget, forget)
    }
    return this.#look
  }
}
