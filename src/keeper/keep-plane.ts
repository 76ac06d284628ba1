import { setTimeout as delay } from 'node:timers/promises'
import { messageOf } from '../shared/errors.ts'
import type { Duty } from './duty.ts'

/** No sleep is longer, in milliseconds: a machine that was suspended, or whose clock was set, is noticed. */
const LONGEST_SLEEP_MS = 60_000

export interface KeepOptions {
  now: () => Date
  /** One line for the log. */
  log: (line: string) => void
  signal: AbortSignal
}

/** Does what is to be done for a plane until the signal fires, each duty for itself. Nothing that goes wrong ends it. */
export async function keepPlane(duties: readonly Duty[], options: KeepOptions): Promise<void> {
  await Promise.all(duties.map((duty) => attendTo(duty, options)))
}

async function attendTo(duty: Duty, { log, now, signal }: KeepOptions): Promise<void> {
  while (!signal.aborted) {
    try {
      const nextAt = await duty.look(signal)
      const sleepMs = Math.min(nextAt.getTime() - now().getTime(), LONGEST_SLEEP_MS)
      await delay(Math.max(sleepMs, 0), undefined, { signal })
    } catch (error) {
      if (!signal.aborted) {
        log(`error: ${messageOf(error)}`)
        await delay(LONGEST_SLEEP_MS, undefined, { signal }).catch(() => {})
      }
    }
  }
}
