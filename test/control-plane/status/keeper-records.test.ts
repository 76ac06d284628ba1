import { expect, test } from 'vitest'
import {
  formatKeeperRecord,
  parseAlarms,
  parseBackupStatus,
  parseEvents,
  parseIdleStatus,
  parseWakeStatus,
} from '../../../src/control-plane/status/keeper-records.ts'
import { thrownBy } from '../../support/thrown-by.ts'

const NOON = new Date('2026-01-01T12:00:00Z')
const last = { id: 'dev-20260101-110000-1a2b', at: NOON, revision: 7, sizeBytes: 3 }
const failure = { at: NOON, reason: 'no such bucket', count: 2 }
const source = { id: '41:99', name: 'kubectl (process 41)' }
const wake = { at: NOON, ms: 2300, source, serverName: 'dev', hasWrites: false }
const staysAwake = { since: NOON, reason: 'it woke it', source }
const event = {
  at: NOON,
  level: 'normal',
  object: 'ControlPlane/dev',
  reason: 'Woken',
  message: 'by it',
  count: 2,
} as const

test.for([
  ['no backup', parseBackupStatus, {}],
  ['a backup', parseBackupStatus, { last }],
  ['a backup and a failure', parseBackupStatus, { last, failure, nextAt: NOON }],
  ['no wake', parseWakeStatus, { count: 0, recent: [], watchers: [] }],
  [
    'wakes',
    parseWakeStatus,
    { count: 3, recent: [{ at: NOON, ms: 2100 }, wake], watchers: [source], staysAwake },
  ],
  ['the last use', parseIdleStatus, { usedAt: NOON, mark: '1:2' }],
] as const)('reads %s as it was written', ([, parse, status]) => {
  expect(parse(formatKeeperRecord(status), 'record.json')).toEqual(status)
})

test('reads events as they were written, without damaged ones', () => {
  const text = formatKeeperRecord({ events: [event, { ...event, at: new Date(NaN) }] })
  const damaged = text.replace('"level":"normal"', '"level":"loud"')

  expect(parseEvents(text, 'events.json')).toEqual([event])
  expect(parseEvents(damaged, 'events.json')).toEqual([])
  expect(parseEvents('', 'events.json')).toEqual([])
})

test('reads the wakes of a damaged record that are whole', () => {
  const text = JSON.stringify({
    recent: [wake, { at: 'noon' }, 3],
    watchers: [source, {}],
    staysAwake: {},
  })

  expect(parseWakeStatus(text, 'wakes.json')).toEqual({
    count: 0,
    recent: [wake],
    watchers: [source],
  })
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

test.for([parseAlarms, parseBackupStatus, parseEvents, parseIdleStatus, parseWakeStatus])(
  'refuses a newer one: %o',
  (parse) => {
    const text = JSON.stringify({ formatVersion: 2, writtenBy: '9.0.0' })

    expect(thrownBy(() => void parse(text, 'keeper.json'))).toMatchObject({
      code: 'FAILED',
      message: 'keeper.json was written in a newer format: vplane 9.0.0 or later is needed',
    })
  },
)
