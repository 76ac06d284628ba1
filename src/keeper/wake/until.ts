import { setTimeout as delay } from 'node:timers/promises'

/** How often it checks at first, in milliseconds. */
const FIRST_MS = 100

/** How often it checks after some minutes: a plane that never gets ready must not load its host. */
const LAST_MS = 10_000

/** The interval grows to this part of the time of the wait. */
const GROWTH = 1 / 20

/** Waits until a check says so. Throws the reason of the signal. */
export async function until(check: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
  const startedAt = performance.now()
  while (!(await check())) {
    await delay(intervalAfter(performance.now() - startedAt), undefined, { signal })
  }
}

/** The interval between two checks after a time, both in milliseconds. */
export function intervalAfter(ms: number): number {
  return Math.min(Math.max(ms * GROWTH, FIRST_MS), LAST_MS)
}
