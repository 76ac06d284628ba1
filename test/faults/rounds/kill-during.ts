import { setTimeout as delay } from 'node:timers/promises'

/** How often it is looked for a victim that is not there yet, in milliseconds. */
const LOOK_MS = 100

export interface KillOptions {
  /** How long the operation is left alone. */
  afterMs: number
  /**
   * Kills the victim, unless the operation is over by then, and says what it was; undefined when it does not run just now.
   */
  strike: (isOver: () => boolean) => Promise<string | undefined>
}

/** An operation of which something was to be killed. */
export interface Attempt {
  lastedMs: number
  /** What was killed, and how long after the beginning. @default nothing was, before it was over */
  killed?: { what: string; atMs: number }
}

/**
 * Carries an operation out, and from some moment on tries to kill something until it has, or the operation is over.
 *
 * @throws {Error} as the operation does.
 */
export async function killDuring(
  operation: () => Promise<void>,
  { afterMs, strike }: KillOptions,
): Promise<Attempt> {
  const beganAt = performance.now()
  const sinceMs = () => Math.round(performance.now() - beganAt)
  const over = new AbortController()
  const striking = async () => {
    for (let waitMs = afterMs; await passes(waitMs, over.signal); waitMs = LOOK_MS) {
      const what = await strike(() => over.signal.aborted)
      if (what !== undefined) {
        return { what, atMs: sinceMs() }
      }
    }
    return undefined
  }
  const struck = striking()
  // The caller that waits for it is told of its failure, after the operation.
  struck.catch(() => {})
  try {
    await operation()
  } finally {
    over.abort()
  }
  const lastedMs = sinceMs()
  const killed = await struck
  return { lastedMs, ...(killed === undefined ? {} : { killed }) }
}

/** Whether a time passes before the signal fires. */
async function passes(ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await delay(ms, undefined, { signal })
    return true
  } catch {
    // It is over.
    return false
  }
}
