import { expect, test } from 'vitest'
import type { BackupStatus } from '../../../src/control-plane/status/backup-status.ts'
import { nextBackup, superfluousBackups } from '../../../src/keeper/backups/backup-times.ts'

const NOW = new Date('2026-01-01T12:30:00Z')
const failed = (count: number) => ({ at: NOW, reason: 'full', count })
const lastAt = (time: string) => ({ id: 'x', at: new Date(time), revision: 7, sizeBytes: 3 })

test.for<[string, Pick<BackupStatus, 'failure' | 'last'>, string]>([
  ['is due at once without any', {}, '12:30:00'],
  ['is due by the schedule', { last: lastAt('2026-01-01T12:00:05Z') }, '13:00:00'],
  ['that was missed is due in the past', { last: lastAt('2026-01-01T09:00:00Z') }, '10:00:00'],
  ['is not delayed by a clock ahead', { last: lastAt('2030-01-01T00:00:00Z') }, '13:00:00'],
  ['is retried after a minute', { failure: failed(1) }, '12:31:00'],
  ['is retried less and less often', { failure: failed(4) }, '12:38:00'],
  ['is retried at least every hour', { failure: failed(1000) }, '13:30:00'],
])('a backup %s', ([, status, expected]) => {
  expect(nextBackup('hourly', status, NOW).toISOString().slice(11, 19)).toBe(expected)
})

const HOUR_MS = 3_600_000
/** Thursday, 2026-01-15; the weeks end on Sunday. */
const END = Date.parse('2026-01-15T12:30:00Z')

/** Oldest first. */
function backups(count: number, everyHours: number) {
  return Array.from({ length: count }, (_, index) => ({
    createdAt: new Date(END - (count - 1 - index) * everyHours * HOUR_MS),
  }))
}

const NONE = { hourly: 0, daily: 0, weekly: 0 }
const ALL = { hourly: 24, daily: 7, weekly: 4 }
const TWO_OF_EACH = { hourly: 2, daily: 2, weekly: 2 }

test.for([
  ['the newest alone', NONE, backups(5, 1), '15T12:30'],
  ['the last of each hour', { ...NONE, hourly: 2 }, backups(9, 0.25), '15T11:45 15T12:30'],
  ['the last of each day', { ...NONE, daily: 3 }, backups(20, 6), '13T18:30 14T18:30 15T12:30'],
  ['the last of each week', { ...NONE, weekly: 3 }, backups(40, 12), '04T12:30 11T12:30 15T12:30'],
  [
    'one for several reasons once',
    TWO_OF_EACH,
    backups(400, 1),
    '11T23:30 14T23:30 15T11:30 15T12:30',
  ],
  ['all when there are few', ALL, backups(2, 1), '15T11:30 15T12:30'],
] as const)('retains %s', ([, keep, all, expected]) => {
  const superfluous = superfluousBackups(all, keep)

  const retained = all.filter((backup) => !superfluous.includes(backup))
  const times = retained.map(({ createdAt }) => createdAt.toISOString())
  expect(times).toEqual(expected.split(' ').map((time) => `2026-01-${time}:00.000Z`))
})

test('counts hours with backups, not hours that passed', () => {
  const old = [1, 2, 3].map((day) => ({ createdAt: new Date(`2020-01-0${day}T00:00:00Z`) }))

  expect(superfluousBackups(old, { ...NONE, hourly: 3 })).toEqual([])
})

test('returns nothing without backups', () => {
  expect(superfluousBackups([], NONE)).toEqual([])
})

test('retains the same backups after the others were deleted', () => {
  const keep = { hourly: 5, daily: 3, weekly: 2 }
  const all = backups(300, 1)
  const superfluous = superfluousBackups(all, keep)

  const left = all.filter((backup) => !superfluous.includes(backup))

  expect(superfluousBackups(left, keep)).toEqual([])
})
