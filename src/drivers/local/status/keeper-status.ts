import { keeperPart } from '../../../control-plane/status/keeper-part.ts'
import {
  parseAlarms,
  parseBackupStatus,
  parseIdleStatus,
} from '../../../control-plane/status/keeper-records.ts'
import type { PlaneStatus } from '../../../control-plane/status/plane-status.ts'
import type { PlaneFolder } from '../store/plane-folder.ts'
import type { PlaneRecord } from '../store/plane-record.ts'
import { readTextFile } from '../../../shared/files/read-text-file.ts'

/**
 * Reads what the keeper of a plane has published: backups, last use, and alarms while the plane is to run. Empty for a
 * plane without a keeper.
 *
 * @throws {VplaneError} `FAILED` when a newer vplane wrote it.
 */
export function readKeeperStatus(
  { alarms, backups, idle }: PlaneFolder,
  record: Pick<PlaneRecord, 'desired' | 'spec'>,
): Pick<PlaneStatus, 'alarms' | 'backup' | 'usedAt'> {
  return keeperPart(record, {
    alarms: () => readStatusFile(alarms, parseAlarms),
    backup: () => readStatusFile(backups, parseBackupStatus),
    idle: () => readStatusFile(idle, parseIdleStatus),
  })
}

/** A missing file is empty. @throws {VplaneError} `FAILED` when a newer vplane wrote the file. */
export function readStatusFile<T>(path: string, parse: (text: string, source: string) => T): T {
  return parse(readTextFile(path) ?? '', path)
}
