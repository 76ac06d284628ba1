import { watch } from 'node:fs'

/** Time between two looks at a file where nobody announces its changes, in milliseconds. */
const LOOK_MS = 250

/** The changes of one file. */
export interface Changes extends Disposable {
  /** True when the file may have changed since the last time, false when the signal fires. */
  next(): Promise<boolean>
}

/**
 * Watches a file until it is disposed. The system may have no watch left to give (inotify has 128 for all programs of
 * a user): then the file is looked at now and then.
 */
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
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      hasChanged = false
      return !signal.aborted
    },
  }

  function startWatcher() {
    const pollWhileWaiting = () => {
      timer ??= setInterval(onChange, LOOK_MS)
    }
    try {
      return startWatch(path, onChange).on('error', pollWhileWaiting)
    } catch {
      pollWhileWaiting()
      return undefined
    }
  }
}
