import type { BackupStatus } from './backup-status.ts'
import type { IdleStatus } from './idle-record.ts'
import { needsKeeper } from '../spec/needs-keeper.ts'
import type { PlaneAlarm } from './plane-alarms.ts'
import type { Plane } from '../plane/plane.ts'
import type { PlaneStatus } from './plane-status.ts'

/** What the keeper of a plane has written down, each read only when it counts. */
export interface KeeperWords {
  backup: () => BackupStatus
  idle: () => IdleStatus
  alarms: () => readonly PlaneAlarm[]
}

/**
 * The part of a plane's status that its keeper says: how its backups stand, when it was used, and what is wrong with it
 * while it is to run. Nothing of a plane without one.
 */
export function keeperPart(
  { desired, spec }: Pick<Plane, 'desired' | 'spec'>,
  { alarms, backup, idle }: KeeperWords,
): Pick<PlaneStatus, 'alarms' | 'backup' | 'usedAt'> {
  const { usedAt } = spec.idle === undefined ? {} : idle()
  return {
    ...(spec.backup === undefined ? {} : { backup: backup() }),
    ...(usedAt === undefined ? {} : { usedAt }),
    ...(needsKeeper(spec) && desired === 'running' ? { alarms: alarms() } : {}),
  }
}
