const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/**
 * How long ago something was, as kubectl writes it: two units while the first is small, then one. A time in the future
 * is `0s`.
 */
export function formatAge(since: Date, now: Date = new Date()): string {
  const elapsedMs = Math.max(0, now.getTime() - since.getTime())
  const seconds = Math.floor(elapsedMs / SECOND_MS)
  if (seconds < 2 * 60) {
    return `${seconds}s`
  }
  const minutes = Math.floor(elapsedMs / MINUTE_MS)
  if (minutes < 10) {
    return pair([minutes, 'm'], [seconds % 60, 's'])
  }
  if (minutes < 3 * 60) {
    return `${minutes}m`
  }
  const hours = Math.floor(elapsedMs / HOUR_MS)
  if (hours < 8) {
    return pair([hours, 'h'], [minutes % 60, 'm'])
  }
  if (hours < 48) {
    return `${hours}h`
  }
  const days = Math.floor(elapsedMs / DAY_MS)
  if (days < 8) {
    return pair([days, 'd'], [hours % 24, 'h'])
  }
  if (days < 2 * 365) {
    return `${days}d`
  }
  const years = Math.floor(days / 365)
  return years < 8 ? pair([years, 'y'], [days % 365, 'd']) : `${years}y`
}

function pair(
  [first, firstUnit]: [number, string],
  [second, secondUnit]: [number, string],
): string {
  return second === 0 ? `${first}${firstUnit}` : `${first}${firstUnit}${second}${secondUnit}`
}
