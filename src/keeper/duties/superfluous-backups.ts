import type { BackupRetention } from '../../control-plane/spec/fields/backup-spec.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** The Epoch was a Thursday: weeks begin on Mondays. */
const MONDAY_MS = 3 * DAY_MS

/** In which hour, day and week of UTC a time is. */
const PERIOD_OF: Record<keyof BackupRetention, (time: number) => number> = {
  hourly: (time) => Math.floor(time / HOUR_MS),
  daily: (time) => Math.floor(time / DAY_MS),
  weekly: (time) => Math.floor((time + MONDAY_MS) / (7 * DAY_MS)),
}

/**
 * The backups that need not stay: all but the newest, and the last of each of so many hours, days and weeks that have
 * any. That time passes alone makes none of them superfluous: a plane that rests keeps those that it has.
 */
export function superfluousBackups<T extends { createdAt: Date }>(
  backups: readonly T[],
  keep: BackupRetention,
): T[] {
  const newestFirst = backups.toSorted(
    (left, right) => right.createdAt.getTime() - left.createdAt.getTime(),
  )
  const kept = new Set<T>(newestFirst.slice(0, 1))
  for (const unit of ['hourly', 'daily', 'weekly'] as const) {
    const seen = new Set<number>()
    for (const backup of newestFirst) {
      const period = PERIOD_OF[unit](backup.createdAt.getTime())
      if (!seen.has(period) && seen.size < keep[unit]) {
        seen.add(period)
        kept.add(backup)
      }
    }
  }
  return newestFirst.filter((backup) => !kept.has(backup))
}
