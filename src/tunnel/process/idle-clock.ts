/** The longest time that a timer of Node.js can wait, in milliseconds. */
const LONGEST_MS = 2 ** 31 - 1

export interface IdleClock extends Disposable {
  /** Tells how many connections there are now: the time counts from the moment in which there are none. */
  count(connections: number): void
}

/** Calls `onIdle` when nothing was carried for so long; counting begins at once. */
export function idleClock(timeoutMs: number, onIdle: () => void): IdleClock {
  // It keeps its process running: nothing else may, while the plane cannot be reached.
  const start = () => setTimeout(onIdle, Math.min(timeoutMs, LONGEST_MS))
  let timer: NodeJS.Timeout | undefined = start()
  const stop = () => {
    clearTimeout(timer)
    timer = undefined
  }
  return {
    count: (connections) => {
      stop()
      timer = connections === 0 ? start() : undefined
    },
    [Symbol.dispose]: stop,
  }
}
