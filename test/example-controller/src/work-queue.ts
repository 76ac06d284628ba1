import { setTimeout as delay } from 'node:timers/promises'

const RETRY_MS = 250

/** Names of objects that someone has to look at. */
export interface WorkQueue extends AsyncDisposable {
  /** A name that waits already is not added twice: several events become one look. */
  add(name: string): void
}

/** Works on one name after the other; one that failed gets another turn a little later. */
export function createWorkQueue(
  work: (name: string) => Promise<void>,
  onError: (error: unknown) => void,
): WorkQueue {
  const stop = new AbortController()
  const waiting = new Set<string>()
  let working = Promise.resolve()

  const attempt = async (name: string) => {
    waiting.delete(name)
    if (stop.signal.aborted) {
      return
    }
    try {
      await work(name)
    } catch (error) {
      onError(error)
      void delay(RETRY_MS, undefined, { signal: stop.signal }).then(
        () => add(name),
        () => {},
      )
    }
  }
  const add = (name: string) => {
    if (!waiting.has(name)) {
      waiting.add(name)
      working = working.then(() => attempt(name))
    }
  }
  return {
    add,
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await working
    },
  }
}
