import { omitUndefined } from '../../../shared/omit-undefined.ts'

/** How many backups remain: the last one of each of so many hours, days and weeks that have any, in UTC. */
export interface BackupRetention {
  hourly: number
  daily: number
  weekly: number
}

export interface BackupSpec {
  /** `hourly`, `daily`, `weekly`, or cron, in UTC. */
  schedule: string
  /** `s3://BUCKET/PREFIX`. @default this machine, only with the `local` driver */
  store?: string
  keep: BackupRetention
  /** Secret of the host namespace with the variables `AWS_*`; only with the `kubernetes` driver. @default none */
  secret?: string
}

/** A day of hours, a week of days, a month of weeks. */
const DEFAULT_RETENTION: BackupRetention = { hourly: 24, daily: 7, weekly: 4 }

interface UserBackup {
  schedule: string
  store?: string | undefined
  keep?: { [Unit in keyof BackupRetention]?: number | undefined } | undefined
  secret?: string | undefined
}

/** The `backup` of a user's spec, with every default filled in. */
export function resolveBackup({ keep, schedule, secret, store }: UserBackup): BackupSpec {
  return omitUndefined({
    schedule,
    store,
    keep: { ...DEFAULT_RETENTION, ...omitUndefined(keep ?? {}) },
    secret,
  })
}
