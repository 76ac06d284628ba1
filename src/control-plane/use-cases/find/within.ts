import { VplaneError } from '../../../shared/errors.ts'

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
