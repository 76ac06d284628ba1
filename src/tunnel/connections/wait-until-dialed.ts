import { setTimeout as delay } from 'node:timers/promises'
import { type Dial, isTransient } from './dial.ts'

export interface WaitUntilDialedOptions {
  signal: AbortSignal
  /** The first delay between two tries, in milliseconds; it doubles each time, up to twenty times as much. @default 500 */
  retryMs?: number
  /** Whether waiting keeps the process running. @default true */
  ref?: boolean
}

/** Time limit of one dial, in milliseconds: a connection may have died unnoticed. */
const DIAL_TIMEOUT_MS = 60_000
const MOST = 20

/** @throws the error of the dial when it is not transient, and the reason of the signal. */
export async function waitUntilDialed(
  dial: Dial,
  { ref = true, retryMs = 500, signal }: WaitUntilDialedOptions,
): Promise<void> {
  for (let delayMs = retryMs; ; delayMs = Math.min(delayMs * 2, retryMs * MOST)) {
    signal.throwIfAborted()
    try {
      const stream = await dial(AbortSignal.any([signal, AbortSignal.timeout(DIAL_TIMEOUT_MS)]))
      stream.on('error', () => {}).destroy()
      return
    } catch (error) {
      signal.throwIfAborted()
      if (!isTransient(error)) {
        throw error
      }
    }
    await delay(delayMs, undefined, { signal, ref }).catch(() => signal.throwIfAborted())
  }
}
