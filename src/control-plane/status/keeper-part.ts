import { omitUndefined } from '../../shared/omit-undefined.ts'
import { needsKeeper } from '../spec/needs-keeper.ts'
import type { BackupStatus } from './backup-status.ts'
import type { IdleStatus } from './keeper-records.ts'
import type { PlaneAlarm } from './plane-alarms.ts'
import type { Plane } from '../plane/plane.ts'
import type { PlaneStatus } from './plane-status.ts'

/** Read the records of a plane's keeper; called only for records that the plane needs. */
export interface KeeperReaders {
  backup: () => BackupStatus
  idle: () => IdleStatus
  alarms: () => readonly PlaneAlarm[]
}

/** What a plane's keeper adds to its status: backups, last use, and alarms unless it is paused. */
export function keeperPart(
  { desired, spec }: Pick<Plane, 'desired' | 'spec'>,
  { alarms, backup, idle }: KeeperReaders,
): Pick<PlaneStatus, 'alarms' | 'backup' | 'usedAt'> {
  return omitUndefined({
    backup: spec.backup && backup(),
    usedAt: spec.idle === undefined ? undefined : idle().usedAt,
    alarms: needsKeeper(spec) && desired === 'running' ? alarms() : undefined,
  })
}
