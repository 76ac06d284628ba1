export interface WorkQueueOptions<Key extends string> {
  /** Makes one thing as it should be. What it throws is reported, and the key comes again later. */
  work: (key: Key, signal: AbortSignal) => Promise<void>
  /** What the work threw, how often in a row. */
  onError: (key: Key, error: unknown, failures: number) => void
  /** A key was worked on, well or not, after it had waited. */
  onDone?: (times: { waitedMs: number; tookMs: number }) => void
  /** How many keys are worked on at a time. @default 10 */
  workers?: number
  /** How long a key waits that has failed, in milliseconds; it doubles each time. @default 20 */
  retryMs?: number
  /** @default 30_000 */
  maxRetryMs?: number
}

/**
 * Keys to work on, each once however often it was added, and never one twice at the same time: a key that is added while
 * it is worked on comes again afterwards.
 */
export class WorkQueue<Key extends string> {
  readonly #options: Required<WorkQueueOptions<Key>>
  /** With the time since when. */
  readonly #waiting = new Map<Key, number>()
  readonly #working = new Set<Key>()
  readonly #again = new Set<Key>()
  readonly #failures = new Map<Key, number>()
  readonly #timers = new Map<Key, NodeJS.Timeout>()
  /** What idle workers wait for. */
  #wake: PromiseWithResolvers<void> | undefined

  constructor(options: WorkQueueOptions<Key>) {
    this.#options = { workers: 10, retryMs: 20, maxRetryMs: 30_000, onDone: () => {}, ...options }
  }

  get depth(): number {
    return this.#waiting.size + this.#again.size
  }

  /** Whether nothing waits, is worked on or comes again later. */
  get isIdle(): boolean {
    return this.depth === 0 && this.#working.size === 0 && this.#timers.size === 0
  }

  add(key: Key): void {
    clearTimeout(this.#timers.get(key))
    this.#timers.delete(key)
    if (this.#working.has(key)) {
      this.#again.add(key)
      return
    }
    this.#waiting.set(key, this.#waiting.get(key) ?? performance.now())
    this.#wakeAll()
  }

  /** Adds a key later, unless it is added sooner. */
  addIn(key: Key, ms: number): void {
    if (!this.#timers.has(key)) {
      this.#timers.set(
        key,
        setTimeout(() => this.add(key), ms),
      )
    }
  }

  /** Works until the signal fires; what is being done then is brought to its end. Fulfilled when nothing is done any more. */
  async run(signal: AbortSignal): Promise<void> {
    const stop = () => this.#wakeAll()
    signal.addEventListener('abort', stop, { once: true })
    const workers = Array.from({ length: this.#options.workers }, () => this.#workUntil(signal))
    await Promise.all(workers)
    signal.removeEventListener('abort', stop)
    this.#timers.forEach((timer) => clearTimeout(timer))
    this.#timers.clear()
  }

  async #workUntil(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const [next] = this.#waiting
      if (next === undefined) {
        this.#wake ??= Promise.withResolvers<void>()
        await this.#wake.promise
      } else {
        const [key, since] = next
        this.#waiting.delete(key)
        const startedAt = performance.now()
        await this.#workOn(key, signal)
        const tookMs = performance.now() - startedAt
        this.#options.onDone({ waitedMs: startedAt - since, tookMs })
      }
    }
  }

  #wakeAll(): void {
    this.#wake?.resolve()
    this.#wake = undefined
  }

  async #workOn(key: Key, signal: AbortSignal): Promise<void> {
    const { maxRetryMs, onError, retryMs, work } = this.#options
    this.#working.add(key)
    try {
      await work(key, signal)
      this.#failures.delete(key)
    } catch (error) {
      if (!signal.aborted) {
        const failures = (this.#failures.get(key) ?? 0) + 1
        this.#failures.set(key, failures)
        onError(key, error, failures)
        this.addIn(key, Math.min(retryMs * 2 ** (failures - 1), maxRetryMs))
      }
    } finally {
      this.#working.delete(key)
      if (this.#again.delete(key)) {
        this.add(key)
      }
    }
  }
}
