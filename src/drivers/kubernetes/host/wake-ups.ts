import { setTimeout as delay } from 'node:timers/promises'
import type { HostApi, Selection } from './host-api.ts'

/** How long nothing may be seen before another look is worth it, in milliseconds: a watch tells of most changes. */
const LONGEST_MS = 1000

/** Tells when to look again: something has happened, or nothing for a while. */
export interface WakeUps extends AsyncDisposable {
  /** Also returns when the signal fires. */
  next(signal: AbortSignal): Promise<void>
}

/**
 * Watches a collection until it is disposed. What is seen is no more than a reason to look: a watch that is denied or
 * breaks only makes looks rarer.
 */
export function watchForWakeUps(
  api: Pick<HostApi, 'watch'>,
  path: string,
  selection: Selection = {},
): WakeUps {
  const stop = new AbortController()
  let wake = Promise.withResolvers<void>()
  const watching = (async () => {
    try {
      for await (const _event of api.watch(path, { ...selection, signal: stop.signal })) {
        wake.resolve()
      }
    } catch {
      // The looks go on without it.
    }
  })()
  return {
    next: async (signal) => {
      const pause = new AbortController()
      const either = AbortSignal.any([signal, pause.signal])
      const timer = delay(LONGEST_MS, undefined, { signal: either }).catch(() => {})
      await Promise.race([wake.promise, timer])
      pause.abort()
      wake = Promise.withResolvers<void>()
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await watching
    },
  }
}
