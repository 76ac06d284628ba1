import { setTimeout as delay } from 'node:timers/promises'
import { VplaneError } from './errors.ts'
import type { Hint } from './hint.ts'

interface WaitOptions {
  /** The object of the wait, which errors name after "waiting for": `the API server of "dev"`. */
  what: string
  /** How long it may take, in milliseconds. */
  timeoutMs: number
  /** The first interval between two checks, in milliseconds; it grows with the time of the wait. @default 50 */
  intervalMs?: number
  signal?: AbortSignal | undefined
  /** The hints of the time-out. */
  hints?: readonly Hint[]
}

/** The interval grows to this part of the time of the wait, because frequent checks slow down other programs. */
const GROWTH = 1 / 50

const LONGEST_INTERVAL_MS = 500

/**
 * Calls `condition` until it returns something other than undefined or false, and returns that.
 *
 * `condition` receives a signal that fires at the deadline. Its errors end the wait.
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
  if (state.signal?.reason instanceof VplaneError) {
    return state.signal.reason
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
 * A signal that fires after `limitMs`, for requests to `server`. They fail with its reason: an error for users, unlike that
 * of `AbortSignal.timeout`.
 */
export function timeLimit(limitMs: number, server: string): AbortSignal {
  const limit = new AbortController()
  setTimeout(() => limit.abort(noAnswer(limitMs, ` from ${server}`)), limitMs).unref()
  return limit.signal
}

function noAnswer(limitMs: number, from = ''): VplaneError {
  return new VplaneError('TIMED_OUT', `no answer${from} within ${Math.round(limitMs / 100) / 10} s`)
}

/**
 * Returns the answer of a request if it takes no longer than `limitMs`; the signal of the request fires then.
 *
 * @throws {VplaneError} `TIMED_OUT` when there is no answer in time.
 */
export async function within<T>(
  limitMs: number,
  request: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stop = new AbortController()
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    reject(noAnswer(limitMs))
    stop.abort()
  }, limitMs)
  try {
    return await Promise.race([request(stop.signal), late])
  } finally {
    clearTimeout(timer)
  }
}
