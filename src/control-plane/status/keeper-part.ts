import { omitUndefined } from '../../shared/omit-undefined.ts'
import { needsKeeper } from '../spec/needs-keeper.ts'
import type { BackupStatus } from './backup-status.ts'
import type { IdleStatus } from './keeper-records.ts'
import type { PlaneAlarm } from './plane-alarms.ts'
import type { Plane } from '../plane/plane.ts'
import type { PlaneStatus } from './plane-status.ts'
import type { WakeStatus } from './wake-status.ts'
import { wakesForAny } from '../plane/is-woken-by-any.ts'

/** Read the records of a plane's keeper; called only for records that the plane needs. */
export interface KeeperReaders {
  backup: () => BackupStatus
  idle: () => IdleStatus
  alarms: () => readonly PlaneAlarm[]
  wakes: () => WakeStatus
}

/** What a plane's keeper adds to its status. */
export type KeeperPart = Pick<PlaneStatus, 'alarms' | 'backup' | 'usedAt' | 'wakes'>

/** What a plane's keeper knows: backups, last use and wakes, and alarms unless it is paused. */
export function keeperPart(
  { desired, spec }: Pick<Plane, 'desired' | 'spec'>,
  { alarms, backup, idle, wakes }: KeeperReaders,
): KeeperPart {
  return omitUndefined({
    backup: spec.backup && backup(),
    usedAt: spec.idle === undefined ? undefined : idle().usedAt,
    wakes: wakesForAny(spec) ? wakes() : undefined,
    alarms: needsKeeper(spec) && desired === 'running' ? alarms() : undefined,
  })
}
