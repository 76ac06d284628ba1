import { watch } from 'node:fs'

/** Used where the system cannot watch the file. */
const POLL_INTERVAL_MS = 250

export interface Changes extends Disposable {
  /** Waits until the file may have changed. Returns false when the signal fires. */
  next(): Promise<boolean>
}

/** Watches a file until it is disposed. It polls when the system has no watch left: inotify has 128 for a user. */
export function watchChanges(path: string, signal: AbortSignal, startWatch = watch): Changes {
  let hasChanged = false
  let wake = () => {}
  const onChange = () => {
    hasChanged = true
    wake()
  }
  const onAbort = () => wake()
  let timer: NodeJS.Timeout | undefined
  const watcher = startWatcher()
  signal.addEventListener('abort', onAbort)
  return {
    [Symbol.dispose]: () => {
      signal.removeEventListener('abort', onAbort)
      clearInterval(timer)
      watcher?.close()
    },
    next: async () => {
      if (!hasChanged && !signal.aborted) {
        await new Promise<void>((resolve) => (wake = resolve))
      }
      hasChanged = false
      return !signal.aborted
    },
  }

  function startWatcher() {
    const pollWhileWaiting = () => {
      timer ??= setInterval(onChange, POLL_INTERVAL_MS)
    }
    try {
      return startWatch(path, onChange).on('error', pollWhileWaiting)
    } catch {
      pollWhileWaiting()
      return undefined
    }
  }
}
