export interface SleepWatchOptions {
  onWake: () => void
  /** How often it looks, in milliseconds. @default 5000 */
  intervalMs?: number
  /** A look that comes later than this was not just busy, in milliseconds. @default 15_000 */
  toleranceMs?: number
  /** The clock on the wall, in milliseconds. @default Date.now */
  now?: () => number
}

/**
 * Calls `onWake` when the machine has slept: a look at the clock that comes much too late. Connections may be dead then
 * without anybody having said so.
 */
export function watchSleep({
  intervalMs = 5000,
  now = Date.now,
  onWake,
  toleranceMs = 15_000,
}: SleepWatchOptions): Disposable {
  let lookedAt = now()
  const look = () => {
    const lateMs = now() - lookedAt - intervalMs
    lookedAt = now()
    if (lateMs > toleranceMs) {
      onWake()
    }
  }
  const timer = setInterval(look, intervalMs).unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}
