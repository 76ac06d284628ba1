/** How the backups of a plane stand, as its keeper has written down. */
export interface BackupStatus {
  /** The last one. @default there is none yet */
  last?: { id: string; at: Date; revision: number; sizeBytes: number }
  /** Why there is no later one, and how often in a row that went wrong. @default nothing went wrong since the last one */
  failure?: { at: Date; reason: string; count: number }
  /** When the next one is due; in the past when its keeper does not work. @default its keeper has not looked yet */
  nextAt?: Date
}

/** How long a keeper may take with one before it counts as missing, in milliseconds. */
const PATIENCE_MS = 15 * 60_000

/**
 * What is wrong with the backups of a plane that runs, in one line that goes on after "backup of NAME"; undefined while
 * all is well.
 */
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
