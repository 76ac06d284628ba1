/** How soon a check is made again, in milliseconds; twice as long each time. */
const FIRST_MS = 1000
const LAST_MS = 20_000

/** A check that is false without being made when it was made a short time ago: at first a second, in the end 20 s. */
export function rarely(check: () => Promise<boolean>): () => Promise<boolean> {
  let [nextMs, nextAt] = [FIRST_MS, 0]
  return async () => {
    if (performance.now() < nextAt) {
      return false
    }
    nextAt = performance.now() + nextMs
    nextMs = Math.min(nextMs * 2, LAST_MS)
    return check()
  }
}
