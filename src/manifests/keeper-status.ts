import type { BackupStatus } from '../control-plane/status/backup-status.ts'
import {
  formatKeeperRecord,
  type IdleStatus,
  parseAlarms,
  parseBackupStatus,
  parseIdleStatus,
  parseWakeStatus,
} from '../control-plane/status/keeper-records.ts'
import type { WakeStatus } from '../control-plane/status/wake-status.ts'
import type { PlaneAlarm } from '../control-plane/status/plane-alarms.ts'
import { fieldAt } from '../shared/json-fields.ts'

const BACKUP = 'backup'
const IDLE = 'idle'
const ALARMS = 'alarms'
const WAKES = 'wakes'
const SOURCE = "the keeper's ConfigMap"

export interface KeeperStatus {
  backup: BackupStatus
  idle: IdleStatus
  alarms: readonly PlaneAlarm[]
  wakes: WakeStatus
}

/** The data for a keeper's ConfigMap: fields that are left out do not change there. */
export function keeperStatusData({
  alarms,
  backup,
  idle,
  wakes,
}: Partial<KeeperStatus>): Record<string, string> {
  return {
    ...(backup === undefined ? {} : { [BACKUP]: formatKeeperRecord(backup) }),
    ...(idle === undefined ? {} : { [IDLE]: formatKeeperRecord(idle) }),
    ...(wakes === undefined ? {} : { [WAKES]: formatKeeperRecord(wakes) }),
    ...(alarms === undefined ? {} : { [ALARMS]: formatKeeperRecord({ alarms }) }),
  }
}

/** @throws {VplaneError} `FAILED` when a newer vplane wrote the ConfigMap. */
export function keeperStatusOf(configMap: object | undefined): KeeperStatus {
  const data = fieldAt(configMap, 'data')
  const textOf = (key: string) => {
    const text = fieldAt(data, key)
    return typeof text === 'string' ? text : ''
  }
  return {
    backup: parseBackupStatus(textOf(BACKUP), SOURCE),
    idle: parseIdleStatus(textOf(IDLE), SOURCE),
    alarms: parseAlarms(textOf(ALARMS), SOURCE),
    wakes: parseWakeStatus(textOf(WAKES), SOURCE),
  }
}
