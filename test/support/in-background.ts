import { onTestFinished } from 'vitest'

/** Lets work continue until the test has ended, which then waits for it. */
export function inBackground(work: (signal: AbortSignal) => Promise<unknown>): void {
  const stop = new AbortController()
  const running = work(stop.signal)
  onTestFinished(async () => {
    stop.abort(new Error('the test has ended'))
    await running
  })
}
