/** So many additional streams are allowed in any case, and one more for so many connections that wait. */
const [ALLOWED, WAITING_FOR_ONE_MORE] = [4, 4]

/**
 * Counts the connections of a tunnel that wait for their first answer, and the streams that were opened for them beside
 * silent ones. A pod that is gone needs another stream at once; on a host that is too busy to answer, one more for each
 * connection would keep it too busy.
 */
export class AdditionalStreams {
  #waiting = 0
  #open = 0

  /** Counts a connection as waiting while something is done. */
  async whileWaiting<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#waiting += 1
    try {
      return await work()
    } finally {
      this.#waiting -= 1
    }
  }

  /** Whether one more may be opened; it counts until `close`. */
  open(): boolean {
    const isAllowed = this.#open < ALLOWED + this.#waiting / WAITING_FOR_ONE_MORE
    this.#open += Number(isAllowed)
    return isAllowed
  }

  close(): void {
    this.#open -= 1
  }
}
