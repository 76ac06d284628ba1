export interface BackupStatus {
  /** The last backup. @default none yet */
  last?: { id: string; at: Date; revision: number; sizeBytes: number }
  /** The last failure since then, and the number of failures in a row. @default none since the last backup */
  failure?: { at: Date; reason: string; count: number }
  /** When the next one is due; in the past if the keeper does not work. @default the keeper has not checked yet */
  nextAt?: Date
}

/** How late a backup may be before it counts as missing, in milliseconds. */
const PATIENCE_MS = 15 * 60_000

/** The problem with the backups of a plane that runs, as it reads after "backup of NAME"; undefined if there is none. */
export function backupProblem(
  { failure, nextAt }: BackupStatus,
  { createdAt, now }: { createdAt: Date; now: Date },
): string | undefined {
  if (failure !== undefined) {
    return `failed: ${failure.reason}`
  }
  const isLate = now.getTime() - (nextAt ?? createdAt).getTime() > PATIENCE_MS
  return isLate ? 'is overdue: its keeper does not work' : undefined
}
