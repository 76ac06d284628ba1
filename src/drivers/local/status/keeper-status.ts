import { parseAlarms } from '../../../control-plane/status/alarms-record.ts'
import { parseBackupStatus } from '../../../control-plane/status/backup-record.ts'
import type { BackupStatus } from '../../../control-plane/status/backup-status.ts'
import { type IdleStatus, parseIdleStatus } from '../../../control-plane/status/idle-record.ts'
import { keeperPart } from '../../../control-plane/status/keeper-part.ts'
import type { PlaneAlarm } from '../../../control-plane/status/plane-alarms.ts'
import type { PlaneStatus } from '../../../control-plane/status/plane-status.ts'
import type { PlaneFolder } from '../store/plane-folder.ts'
import type { PlaneRecord } from '../store/plane-record.ts'
import { readTextFile } from '../../../shared/files/read-text-file.ts'

/**
 * What the keeper of a plane says: how its backups stand, when it was used, and what is wrong with it while it is to run.
 * Nothing of a plane without one.
 *
 * @throws {VplaneError} `FAILED` when a newer vplane wrote it.
 */
export function readKeeperStatus(
  folder: PlaneFolder,
  record: Pick<PlaneRecord, 'desired' | 'spec'>,
): Pick<PlaneStatus, 'alarms' | 'backup' | 'usedAt'> {
  return keeperPart(record, {
    alarms: () => readAlarms(folder),
    backup: () => readBackups(folder),
    idle: () => readIdle(folder),
  })
}

/**
 * How the backups of a plane stand, as its keeper says.
 *
 * @throws {VplaneError} `FAILED` when a newer vplane wrote it.
 */
export function readBackups({ backups }: Pick<PlaneFolder, 'backups'>): BackupStatus {
  return parseBackupStatus(textOf(backups), backups)
}

/**
 * When a plane was used, as its keeper says.
 *
 * @throws {VplaneError} `FAILED` when a newer vplane wrote it.
 */
export function readIdle({ idle }: Pick<PlaneFolder, 'idle'>): IdleStatus {
  return parseIdleStatus(textOf(idle), idle)
}

/**
 * What is wrong with a plane, as its keeper says.
 *
 * @throws {VplaneError} `FAILED` when a newer vplane wrote it.
 */
export function readAlarms({ alarms }: Pick<PlaneFolder, 'alarms'>): PlaneAlarm[] {
  return parseAlarms(textOf(alarms), alarms)
}

/** Empty when the keeper has not looked yet. */
function textOf(path: string): string {
  return readTextFile(path) ?? ''
}
