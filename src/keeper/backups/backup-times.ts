import type { BackupStatus } from '../../control-plane/status/backup-status.ts'
import { nextTime } from '../../control-plane/spec/fields/backup-schedule.ts'
import type { BackupRetention } from '../../control-plane/spec/fields/backup-spec.ts'

/** Delay before the first retry, in milliseconds. It doubles with each further failure. */
const RETRY_MS = 60_000
const MAX_RETRY_MS = 3_600_000

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** The epoch was a Thursday, and weeks start on Mondays. */
const MONDAY_MS = 3 * DAY_MS

/** The number of the hour, day or week in UTC that a time lies in. */
const PERIOD_OF: Record<keyof BackupRetention, (time: number) => number> = {
  hourly: (time) => Math.floor(time / HOUR_MS),
  daily: (time) => Math.floor(time / DAY_MS),
  weekly: (time) => Math.floor((time + MONDAY_MS) / (7 * DAY_MS)),
}

/**
 * When the next backup is due; a time in the past means at once. The first backup is due at once, so that an unusable
 * store is noticed when it is configured, not a week later. Missed backups are caught up with one.
 */
export function nextBackup(
  schedule: string,
  { failure, last }: Pick<BackupStatus, 'failure' | 'last'>,
  now: Date,
): Date {
  if (failure !== undefined) {
    const factor = 2 ** Math.min(failure.count - 1, 30)
    return new Date(failure.at.getTime() + Math.min(RETRY_MS * factor, MAX_RETRY_MS))
  }
  // A backup dated in the future by a wrong clock must not delay the next one.
  return last === undefined ? now : nextTime(schedule, last.at < now ? last.at : now)
}

/**
 * The backups to delete: all except the newest, and the last of each of the given numbers of hours, days and weeks that
 * have backups. Periods without a backup do not count, so that a paused plane retains its backups.
 */
export function superfluousBackups<T extends { createdAt: Date }>(
  backups: readonly T[],
  keep: BackupRetention,
): T[] {
  const newestFirst = backups.toSorted(
    (left, right) => right.createdAt.getTime() - left.createdAt.getTime(),
  )
  const retained = new Set<T>(newestFirst.slice(0, 1))
  for (const unit of ['hourly', 'daily', 'weekly'] as const) {
    const periods = new Set<number>()
    for (const backup of newestFirst) {
      const period = PERIOD_OF[unit](backup.createdAt.getTime())
      if (!periods.has(period) && periods.size < keep[unit]) {
        periods.add(period)
        retained.add(backup)
      }
    }
  }
  return newestFirst.filter((backup) => !retained.has(backup))
}
