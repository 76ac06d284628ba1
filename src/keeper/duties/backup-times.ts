import type { BackupStatus } from '../../control-plane/status/backup-status.ts'
import { nextTime } from '../../control-plane/spec/fields/backup-schedule.ts'
import type { BackupRetention } from '../../control-plane/spec/fields/backup-spec.ts'

/** How long a keeper waits after the first failure; twice as long after each further one, in milliseconds. */
const FIRST_RETRY_MS = 60_000
const LONGEST_RETRY_MS = 3_600_000

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
 * When the next backup is due; in the past or now when it is to be taken at once. A plane without any gets one at once, so
 * that a store that cannot be used is found out when it is named and not a week later. What fell due while nobody looked is
 * caught up on once.
 */
export function nextBackup(
  schedule: string,
  { failure, last }: Pick<BackupStatus, 'failure' | 'last'>,
  now: Date,
): Date {
  if (failure !== undefined) {
    const factor = 2 ** Math.min(failure.count - 1, 30)
    const waitMs = Math.min(FIRST_RETRY_MS * factor, LONGEST_RETRY_MS)
    return new Date(failure.at.getTime() + waitMs)
  }
  // One that a clock ahead of ours has dated must not hold up those to come.
  return last === undefined ? now : nextTime(schedule, last.at < now ? last.at : now)
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
