import type { BackupStatus } from '../../control-plane/status/backup-status.ts'
import { nextTime } from '../../control-plane/spec/fields/backup-schedule.ts'

/** How long a keeper waits after the first failure; twice as long after each further one, in milliseconds. */
const FIRST_RETRY_MS = 60_000
const LONGEST_RETRY_MS = 3_600_000

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
