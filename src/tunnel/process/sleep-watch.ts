export interface SleepWatchOptions {
  onWake: () => void
  /** How often it checks the clock, in milliseconds. @default 5000 */
  intervalMs?: number
  /** A check later than this is due to sleep, not load, in milliseconds. @default 15_000 */
  toleranceMs?: number
  /** The wall clock, in milliseconds. @default Date.now */
  now?: () => number
}

/** Calls `onWake` after the machine slept, detected by a late check of the clock: connections may be dead then. */
export function watchSleep({
  intervalMs = 5000,
  now = Date.now,
  onWake,
  toleranceMs = 15_000,
}: SleepWatchOptions): Disposable {
  let checkedAt = now()
  const check = () => {
    const lateMs = now() - checkedAt - intervalMs
    checkedAt = now()
    if (lateMs > toleranceMs) {
      onWake()
    }
  }
  const timer = setInterval(check, intervalMs).unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}
