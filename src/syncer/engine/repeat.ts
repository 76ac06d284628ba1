import { setTimeout as delay } from 'node:timers/promises'

export interface RepeatOptions {
  /** The time between two runs, in milliseconds. */
  everyMs: number
  onError: (error: unknown) => void
  signal: AbortSignal
}

/** Does some work at once, and again and again until the signal fires; a failure does not end it. */
export async function repeat(
  work: () => Promise<void>,
  { everyMs, onError, signal }: RepeatOptions,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await work()
    } catch (error) {
      if (!signal.aborted) {
        onError(error)
      }
    }
    await delay(everyMs, undefined, { signal }).catch(() => {})
  }
}
