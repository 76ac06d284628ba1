import { type KeeperPart, keeperPart } from '../../../control-plane/status/keeper-part.ts'
import {
  parseAlarms,
  parseBackupStatus,
  parseEvents,
  parseIdleStatus,
  parseWakeStatus,
} from '../../../control-plane/status/keeper-records.ts'
import type { PlaneEvent } from '../../../control-plane/status/plane-status.ts'
import type { PlaneFolder } from '../store/plane-folder.ts'
import type { PlaneRecord } from '../store/plane-record.ts'
import { readTextFile } from '../../../shared/files/read-text-file.ts'

const HOUR_MS = 3_600_000

/**
 * Reads what the keeper of a plane has published: backups, last use, and alarms while the plane is to run. Empty for a
 * plane without a keeper.
 *
 * @throws {VplaneError} `FAILED` when a newer vplane wrote it.
 */
export function readKeeperStatus(
  { alarms, backups, idle, wakes }: PlaneFolder,
  record: Pick<PlaneRecord, 'desired' | 'spec'>,
): KeeperPart {
  return keeperPart(record, {
    alarms: () => readStatusFile(alarms, parseAlarms),
    backup: () => readStatusFile(backups, parseBackupStatus),
    idle: () => readStatusFile(idle, parseIdleStatus),
    wakes: () => readStatusFile(wakes, parseWakeStatus),
  })
}

/** What its keeper did and saw in the last hour, the latest last. @throws {VplaneError} as `readKeeperStatus` does. */
export function readEvents({ events }: Pick<PlaneFolder, 'events'>, now: Date): PlaneEvent[] {
  return readStatusFile(events, parseEvents).filter(
    ({ at }) => now.getTime() - at.getTime() <= HOUR_MS,
  )
}

/** A missing file is empty. @throws {VplaneError} `FAILED` when a newer vplane wrote the file. */
export function readStatusFile<T>(path: string, parse: (text: string, source: string) => T): T {
  return parse(readTextFile(path) ?? '', path)
}
