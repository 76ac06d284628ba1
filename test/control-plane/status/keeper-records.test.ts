import { expect, test } from 'vitest'
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

test.for([
  ['no backup', parseBackupStatus, {}],
  ['a backup', parseBackupStatus, { last }],
  ['a backup and a failure', parseBackupStatus, { last, failure, nextAt: NOON }],
  ['the last use', parseIdleStatus, { usedAt: NOON, mark: '1:2' }],
] as const)('reads %s as it was written', ([, parse, status]) => {
  expect(parse(formatKeeperRecord(status), 'record.json')).toEqual(status)
})

test.for([
  ['', parseBackupStatus],
  ['{"last":', parseBackupStatus],
  ['{"last":{"at":"yesterday"},"failure":3,"nextAt":null}', parseBackupStatus],
  ['', parseIdleStatus],
  ['{', parseIdleStatus],
  ['{}', parseIdleStatus],
  ['{"usedAt":"yesterday","mark":"1"}', parseIdleStatus],
  ['{"usedAt":"2026-06-01T12:00:00Z"}', parseIdleStatus],
] as const)('reads nothing from %j with %o', ([text, parse]) => {
  expect(parse(text, 'record.json')).toEqual({})
})

test.for([parseAlarms, parseBackupStatus, parseIdleStatus])('refuses a newer one: %o', (parse) => {
  const text = JSON.stringify({ formatVersion: 2, writtenBy: '9.0.0' })

  expect(thrownBy(() => void parse(text, 'keeper.json'))).toMatchObject({
    code: 'FAILED',
    message: 'keeper.json was written in a newer format: vplane 9.0.0 or later is needed',
  })
})
