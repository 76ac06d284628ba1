import { setTimeout as delay } from 'node:timers/promises'

/** How often it checks, in milliseconds. */
const POLL_MS = 100

/** Waits until a check says so. Throws the reason of the signal. */
export async function until(check: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
  while (!(await check())) {
    await delay(POLL_MS, undefined, { signal })
  }
}
