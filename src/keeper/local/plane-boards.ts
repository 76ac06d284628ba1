import {
  formatKeeperRecord,
  parseAlarms,
  parseBackupStatus,
  parseEvents,
  parseIdleStatus,
  parseWakeStatus,
} from '../../control-plane/status/keeper-records.ts'
import type { PlaneAlarm } from '../../control-plane/status/plane-alarms.ts'
import type { PlaneEvent } from '../../control-plane/status/plane-status.ts'
import { readStatusFile } from '../../drivers/local/status/keeper-status.ts'
import type { PlaneFolder } from '../../drivers/local/store/plane-folder.ts'
import { writeFile } from '../../shared/files/write-file.ts'

/** A file in which the keeper of local planes publishes what it knows. */
export interface FileBoard<T> {
  read: () => Promise<T>
  write: (status: T) => Promise<void>
}

/** Where the keeper of local planes publishes what it knows of one. */
export function planeBoards({ alarms, backups, events, idle, wakes }: PlaneFolder) {
  return {
    alarms: fileBoard<readonly PlaneAlarm[]>(alarms, parseAlarms, (all) =>
      formatKeeperRecord({ alarms: all }),
    ),
    backup: fileBoard(backups, parseBackupStatus, formatKeeperRecord),
    events: fileBoard<readonly PlaneEvent[]>(events, parseEvents, (all) =>
      formatKeeperRecord({ events: all }),
    ),
    idle: fileBoard(idle, parseIdleStatus, formatKeeperRecord),
    wakes: fileBoard(wakes, parseWakeStatus, formatKeeperRecord),
  }
}

function fileBoard<T>(
  path: string,
  parse: (text: string, source: string) => T,
  format: (status: T) => string,
): FileBoard<T> {
  return {
    read: async () => readStatusFile(path, parse),
    write: (status) => writeFile(path, format(status)),
  }
}
