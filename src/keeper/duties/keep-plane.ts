import { setTimeout as delay } from 'node:timers/promises'
import { messageOf } from '../../shared/errors.ts'
import type { Duty } from './duty.ts'

/** No sleep is longer, in milliseconds: a machine that was suspended, or whose clock was set, is noticed. */
const LONGEST_SLEEP_MS = 60_000

/** How long the pause after a failed look is, in milliseconds: it doubles with each that follows, up to the second. */
const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 10_000

export interface KeepOptions {
  now: () => Date
  /** One line for the log. */
  log: (line: string) => void
  signal: AbortSignal
  /** Returns after so many milliseconds, and throws when the signal fires. @default as it says */
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>
}

/**
 * Does what is to be done for a plane until the signal fires, each duty for itself. Nothing that goes wrong ends it, nor
 * keeps it from looking again within seconds: who could not look does not know what there is to tell.
 */
export async function keepPlane(duties: readonly Duty[], options: KeepOptions): Promise<void> {
  await Promise.all(duties.map((duty) => attendTo(duty, options)))
}

async function attendTo(
  duty: Duty,
  { log, now, signal, sleep = passing }: KeepOptions,
): Promise<void> {
  let pauseMs = FIRST_PAUSE_MS
  while (!signal.aborted) {
    try {
      const nextAt = await duty.look(signal)
      pauseMs = FIRST_PAUSE_MS
      const sleepMs = Math.min(nextAt.getTime() - now().getTime(), LONGEST_SLEEP_MS)
      await sleep(Math.max(sleepMs, 0), signal)
    } catch (error) {
      if (!signal.aborted) {
        log(`error: ${messageOf(error)}`)
        await sleep(pauseMs, signal).catch(() => {})
        pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
      }
    }
  }
}

function passing(ms: number, signal: AbortSignal): Promise<void> {
  return delay(ms, undefined, { signal })
}
