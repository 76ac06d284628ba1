import { expect, test } from 'vitest'
import type { BackupStatus } from '../../../src/control-plane/status/backup-status.ts'
import {
  formatKeeperRecord,
  parseAlarms,
  parseBackupStatus,
  parseIdleStatus,
} from '../../../src/control-plane/status/keeper-records.ts'
import { thrownBy } from '../../support/thrown-by.ts'

const NOON = new Date('2026-01-01T12:00:00Z')
const last = { id: 'dev-20260101-110000-1a2b', at: NOON, revision: 7, sizeBytes: 3 }
const failure = { at: NOON, reason: 'no such bucket', count: 2 }

test.for<[BackupStatus]>([[{}], [{ last }], [{ last, failure, nextAt: NOON }]])(
  'reads the status %j of backups as it was written',
  ([status]) => {
    expect(parseBackupStatus(formatKeeperRecord(status), 'backups.json')).toEqual(status)
  },
)

test.for(['', '{"last":', '{"last":{"at":"yesterday"},"failure":3,"nextAt":null}'])(
  'reads no status of backups from %j',
  (text) => {
    expect(parseBackupStatus(text, 'backups.json')).toEqual({})
  },
)

test('reads the last use as it was written', () => {
  const status = { usedAt: new Date('2026-06-01T12:00:00Z'), mark: '1:2' }

  expect(parseIdleStatus(formatKeeperRecord(status), 'idle.json')).toEqual(status)
})

test.for(['', '{', '{}', '{"usedAt":"yesterday","mark":"1"}', '{"usedAt":"2026-06-01T12:00:00Z"}'])(
  'reads no last use from %j',
  (text) => {
    expect(parseIdleStatus(text, 'idle.json')).toEqual({})
  },
)

test.for([parseAlarms, parseBackupStatus, parseIdleStatus])(
  'refuses a newer format: %o',
  (parse) => {
    const text = JSON.stringify({ formatVersion: 2, writtenBy: '9.0.0' })

    expect(thrownBy(() => void parse(text, 'keeper.json'))).toMatchObject({
      code: 'FAILED',
      message: 'keeper.json was written in a newer format: vplane 9.0.0 or later is needed',
    })
  },
)
