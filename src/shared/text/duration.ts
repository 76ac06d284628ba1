import { VplaneError } from '../errors.ts'

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

const UNITS_MS: Record<string, number> = { ms: 1, s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS }

/** Longer times overflow the timers of Node.js. */
const MAX_MS = 2 ** 31 - 1

/** The milliseconds of `1h30m`. @throws {VplaneError} `USAGE` when invalid, unitless, zero or over 24 days. */
export function parseDuration(text: string): number {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|[smh])/g)]
  const isWhole = parts.map(([part]) => part).join('') === text && text !== ''
  const total = parts.reduce(
    (sum, [, count, unit]) => sum + Number(count) * (UNITS_MS[unit ?? ''] ?? 0),
    0,
  )
  if (!isWhole || total < 1 || total > MAX_MS) {
    const isBare = /^\d+$/.test(text)
    const reason = isBare ? ': the unit is missing' : ''
    const example =
      isBare && text !== '0' ? `${text}s, ${text}m or ${text}h` : 'such as 90s, 5m or 1h30m'
    throw new VplaneError('USAGE', `"${text}" is not a duration${reason}`, { hints: [example] })
  }
  return Math.round(total)
}

/** Whether a text is a duration within these limits. */
export function isDuration(
  text: string,
  { leastMs, mostMs = MAX_MS }: { leastMs: number; mostMs?: number },
): boolean {
  try {
    const durationMs = parseDuration(text)
    return durationMs >= leastMs && durationMs <= mostMs
  } catch {
    // The caller reports the reason itself.
    return false
  }
}

/** The milliseconds of `30d`, or of what `parseDuration` accepts. @throws {VplaneError} `USAGE` when it is neither. */
export function parseDays(text: string): number {
  return /^\d{1,5}d$/.test(text) ? Number(text.slice(0, -1)) * DAY_MS : parseDuration(text)
}

/**
 * A point in time such as `2026-06-01T12:00:00Z` or `2026-06-01T14:00:00+02:00`.
 *
 * @throws {VplaneError} `USAGE` when it is invalid.
 */
export function parseTime(text: string): Date {
  const time = new Date(text)
  const isWhole = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text)
  if (!isWhole || Number.isNaN(time.getTime())) {
    throw new VplaneError('USAGE', `"${text}" is not a time`, {
      hints: ['such as 2026-06-01T12:00:00Z'],
    })
  }
  return time
}

/** The shortest text that `parseDuration` parses as this time: `90s`, `5m`, `1h30m`. */
export function formatDuration(durationMs: number): string {
  const units: Array<[string, number]> = [
    ['h', HOUR_MS],
    ['m', MINUTE_MS],
    ['s', SECOND_MS],
    ['ms', 1],
  ]
  let rest = durationMs
  const parts = units.map(([unit, unitMs]) => {
    const count = Math.floor(rest / unitMs)
    rest -= count * unitMs
    return count === 0 ? '' : `${count}${unit}`
  })
  return parts.join('') || '0s'
}

/** How long a step took, for people: `0.4s`, `1m05s`. */
export function formatSeconds(durationMs: number): string {
  const tenths = Math.round(durationMs / 100)
  if (tenths < 600) {
    return `${(tenths / 10).toFixed(1)}s`
  }
  const seconds = Math.round(durationMs / SECOND_MS)
  return `${Math.floor(seconds / 60)}m${String(seconds % 60).padStart(2, '0')}s`
}

/** The age of a time as kubectl formats it: two units while the first is small, then one; `0s` in the future. */
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
