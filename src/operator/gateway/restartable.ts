/** Work on planes that ends when what it has written for them is lost, so that it is done again. */
export class Restartable {
  readonly #working = new Map<string, AbortController>()

  /** Works on the plane of a key until it is restarted. Throws why it was, and what the work throws. */
  async work<Result>(
    key: string,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const stop = new AbortController()
    this.#working.set(key, stop)
    try {
      return await work(AbortSignal.any([signal, stop.signal]))
    } finally {
      if (this.#working.get(key) === stop) {
        this.#working.delete(key)
      }
    }
  }

  /** Ends the work on some planes. @param keys @default all */
  restart(why: string, keys: Iterable<string> = this.#working.keys()): void {
    for (const key of keys) {
      this.#working.get(key)?.abort(new Error(why))
    }
  }
}
