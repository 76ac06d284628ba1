/** A start that takes longer is explained: the first one ever gets the binaries, which may take minutes. */
const SLOW_MS = 10_000

/** Tells of a start, but only of one that takes long. */
export interface SlowProgress extends Disposable {
  log(this: void, line: string): void
}

/** Passes on nothing at first, then the line that came last and all that follow. */
export function slowProgress(log: (line: string) => void): SlowProgress {
  let last: string | undefined
  let isSlow = false
  const timer = setTimeout(() => {
    isSlow = true
    if (last !== undefined) {
      log(last)
    }
  }, SLOW_MS)
  return {
    log: (line) => {
      last = line
      if (isSlow) {
        log(line)
      }
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  }
}
