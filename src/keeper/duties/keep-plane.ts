import { setTimeout as delay } from 'node:timers/promises'
import { messageOf } from '../../shared/errors.ts'
import type { Duty } from './duty.ts'

/** The longest sleep, in milliseconds: it makes a keeper notice a suspended machine or a clock that was set. */
const MAX_SLEEP_MS = 60_000

/** Delay before the first retry, in milliseconds. It doubles with each further failure. */
const RETRY_MS = 1000
const MAX_RETRY_MS = 10_000

export interface KeepOptions {
  now: () => Date
  log: (line: string) => void
  signal: AbortSignal
  /** Returns after a number of milliseconds, and throws when the signal fires. @default a timer */
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>
}

/**
 * Runs the duties of a plane independently until the signal fires. A duty that fails is retried within seconds; the same
 * failure in a row is logged once.
 */
export async function keepPlane(duties: readonly Duty[], options: KeepOptions): Promise<void> {
  await Promise.all(duties.map((duty) => repeat(duty, options)))
}

async function repeat(
  duty: Duty,
  { log, now, signal, sleep = sleepUntilAborted }: KeepOptions,
): Promise<void> {
  let retryMs = RETRY_MS
  let failure = ''
  while (!signal.aborted) {
    try {
      const nextAt = await duty.reconcile(signal)
      retryMs = RETRY_MS
      failure = ''
      const sleepMs = Math.min(nextAt.getTime() - now().getTime(), MAX_SLEEP_MS)
      await sleep(Math.max(sleepMs, 0), signal)
    } catch (error) {
      if (!signal.aborted) {
        if (messageOf(error) !== failure) {
          failure = messageOf(error)
          log(`error: ${failure}`)
        }
        await sleep(retryMs, signal).catch(() => {})
        retryMs = Math.min(retryMs * 2, MAX_RETRY_MS)
      }
    }
  }
}

function sleepUntilAborted(ms: number, signal: AbortSignal): Promise<void> {
  return delay(ms, undefined, { signal })
}
