import { setTimeout as delay } from 'node:timers/promises'
import { VplaneError } from './errors.ts'
import type { Hint } from './hint.ts'

export interface WaitOptions {
  /** What is waited for, as it reads after "waiting for": `the API server of "dev"`. */
  what: string
  /** How long it may take, in milliseconds. */
  timeoutMs: number
  /**
   * Time between two looks, in milliseconds, for conditions that nothing announces. It grows with the time that the wait
   * has taken, of which it is a fiftieth at most: who waits for long makes others slow by looking. @default 50
   */
  intervalMs?: number
  signal?: AbortSignal | undefined
  /** Said with the time-out: what to do or look at. */
  hints?: readonly Hint[]
}

const GROWTH = 1 / 50

const LONGEST_INTERVAL_MS = 500

/**
 * Calls `condition` until it returns something other than undefined or false, and returns that.
 *
 * `condition` gets a signal that fires at the deadline, to be passed to whatever it calls. What it throws ends the wait.
 *
 * @throws {VplaneError} `TIMED_OUT` when the deadline passes first, `ABORTED` when the signal fires.
 */
export async function waitFor<T>(
  condition: (signal: AbortSignal) => Promise<T | undefined | false>,
  options: WaitOptions,
): Promise<T> {
  const { intervalMs = 50, signal, timeoutMs } = options
  const deadline = AbortSignal.timeout(timeoutMs)
  const either = signal === undefined ? deadline : AbortSignal.any([signal, deadline])
  const startedAt = performance.now()
  try {
    for (;;) {
      either.throwIfAborted()
      const result = await condition(either)
      if (result !== undefined && result !== false) {
        return result
      }
      const grownMs = Math.min((performance.now() - startedAt) * GROWTH, LONGEST_INTERVAL_MS)
      await delay(Math.max(intervalMs, grownMs), undefined, { signal: either })
    }
  } catch (error) {
    throw toWaitError(error, {
      ...options,
      isAborted: signal?.aborted ?? false,
      isLate: deadline.aborted,
    })
  }
}

function toWaitError(
  error: unknown,
  state: WaitOptions & { isAborted: boolean; isLate: boolean },
): unknown {
  if (error instanceof VplaneError) {
    return error
  }
  if (state.isAborted) {
    return new VplaneError('ABORTED', `interrupted while waiting for ${state.what}`, {
      cause: error,
    })
  }
  if (state.isLate) {
    const seconds = Math.round(state.timeoutMs / 100) / 10
    return new VplaneError('TIMED_OUT', `gave up waiting for ${state.what} after ${seconds} s`, {
      hints: state.hints ?? [],
      cause: error,
    })
  }
  return error
}

/**
 * What a question is answered with, when that takes no longer than `limitMs`. The signal that it gets fires then.
 *
 * @throws {VplaneError} `TIMED_OUT` when there was no answer in time.
 */
export async function within<T>(
  limitMs: number,
  question: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stop = new AbortController()
  const silence = () =>
    new VplaneError('TIMED_OUT', `no answer within ${Math.round(limitMs / 100) / 10} s`)
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    reject(silence())
    stop.abort()
  }, limitMs)
  try {
    return await Promise.race([question(stop.signal), late])
  } finally {
    clearTimeout(timer)
  }
}
