import { setImmediate } from 'node:timers/promises'

export interface WorkQueueOptions<Key extends string> {
  /** Works on one key; when it throws, the queue reports the error and retries the key later. */
  work: (key: Key, signal: AbortSignal) => Promise<void>
  onError: (key: Key, error: unknown, failures: number) => void
  /** Receives the times of each key, whether its work succeeded or failed. */
  onDone?: (times: { waitedMs: number; tookMs: number }) => void
  /** How many keys are worked on at the same time. @default 10 */
  workers?: number
  /** How long a failed key waits, in milliseconds; the time doubles with each failure. @default 20 */
  retryMs?: number
  /** @default 30_000 */
  maxRetryMs?: number
}

/**
 * A queue that has each key once, and never works on it twice at the same time but, if it is added again, afterwards. Keys
 * that were added for later wait until no other key waits.
 */
export class WorkQueue<Key extends string> {
  readonly #options: Required<WorkQueueOptions<Key>>
  /** The waiting keys, each with the time when it was added. */
  readonly #waiting = new Map<Key, number>()
  readonly #later = new Map<Key, number>()
  readonly #working = new Set<Key>()
  readonly #again = new Set<Key>()
  readonly #failures = new Map<Key, number>()
  readonly #timers = new Map<Key, { timer: NodeJS.Timeout; dueAt: number }>()
  #wake: PromiseWithResolvers<void> | undefined

  constructor(options: WorkQueueOptions<Key>) {
    this.#options = { workers: 10, retryMs: 20, maxRetryMs: 30_000, onDone: () => {}, ...options }
  }

  get depth(): number {
    return this.#waiting.size + this.#later.size + this.#again.size
  }

  /** Whether a key waits that was not added for later. */
  get isBusy(): boolean {
    return this.#waiting.size > 0
  }

  /** Whether no key waits, is worked on or will be retried. */
  get isIdle(): boolean {
    return this.depth === 0 && this.#working.size === 0 && this.#timers.size === 0
  }

  /** Whether the last work on a key failed, after which it is retried. */
  hasFailed(key: Key): boolean {
    return this.#failures.has(key)
  }

  add(key: Key): void {
    clearTimeout(this.#timers.get(key)?.timer)
    this.#timers.delete(key)
    if (this.#working.has(key)) {
      this.#again.add(key)
      return
    }
    this.#later.delete(key)
    this.#waiting.set(key, this.#waiting.get(key) ?? performance.now())
    this.#wakeAll()
  }

  /** Adds a key for later; returns false when it is worked on, waits or will be retried already. */
  addLater(key: Key): boolean {
    const isKnown = [this.#waiting, this.#later, this.#working, this.#timers].some((keys) =>
      keys.has(key),
    )
    if (!isKnown) {
      this.#later.set(key, performance.now())
      this.#wakeAll()
    }
    return !isKnown
  }

  /** Adds a key after some time, unless it is added before. */
  addIn(key: Key, ms: number): void {
    const dueAt = performance.now() + ms
    const known = this.#timers.get(key)
    if (known === undefined || dueAt < known.dueAt) {
      clearTimeout(known?.timer)
      this.#timers.set(key, { timer: setTimeout(() => this.add(key), ms), dueAt })
    }
  }

  /** Works until the signal fires; fulfilled when the keys that it is working on then are finished. */
  async run(signal: AbortSignal): Promise<void> {
    const stop = () => this.#wakeAll()
    signal.addEventListener('abort', stop, { once: true })
    const workers = Array.from({ length: this.#options.workers }, () => this.#workUntil(signal))
    await Promise.all(workers)
    signal.removeEventListener('abort', stop)
    this.#timers.forEach(({ timer }) => clearTimeout(timer))
    this.#timers.clear()
  }

  async #workUntil(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (this.#waiting.size === 0 && this.#later.size > 0) {
        await letChangesIn()
      }
      const [next = firstOf(this.#later)] = this.#waiting
      if (next === undefined) {
        this.#wake ??= Promise.withResolvers<void>()
        await this.#wake.promise
      } else {
        const [key, since] = next
        this.#waiting.delete(key)
        this.#later.delete(key)
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

/** How long the work of all queues on keys for later may keep changes from coming in, in milliseconds. */
const UNBROKEN_MS = 10

let breakAt = 0

/** Interrupts work that waits for nothing, which would otherwise let no change come in until all of it is done. */
async function letChangesIn(): Promise<void> {
  if (performance.now() >= breakAt) {
    await setImmediate()
    breakAt = performance.now() + UNBROKEN_MS
  }
}

function firstOf<Entry>([first]: Iterable<Entry>): Entry | undefined {
  return first
}
