import { setTimeout as delay } from 'node:timers/promises'
import type { HostApi, Selection } from './host-api.ts'

/** How long to wait for an event, in milliseconds: a watch may miss some. */
const LONGEST_MS = 1000

/** Shows when to read objects again: after an event, or after a while without one. */
export interface WakeUps extends AsyncDisposable {
  /** Also returns when the signal fires. */
  next(signal: AbortSignal): Promise<void>
}

/** Watches a collection until disposed; if the watch is denied or breaks, reads are rarer. */
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
      // Callers continue without events.
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
