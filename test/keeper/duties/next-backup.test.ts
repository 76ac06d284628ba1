import { expect, test } from 'vitest'
import type { BackupStatus } from '../../../src/control-plane/status/backup-status.ts'
import { nextBackup } from '../../../src/keeper/duties/next-backup.ts'

const NOW = new Date('2026-01-01T12:30:00Z')
const failed = (count: number) => ({ at: NOW, reason: 'full', count })
const lastAt = (time: string) => ({ id: 'x', at: new Date(time), revision: 7, sizeBytes: 3 })

test.for<[string, Pick<BackupStatus, 'failure' | 'last'>, string]>([
  ['is due at once without any', {}, '12:30:00'],
  ['is due by the schedule', { last: lastAt('2026-01-01T12:00:05Z') }, '13:00:00'],
  ['that was missed is due in the past', { last: lastAt('2026-01-01T09:00:00Z') }, '10:00:00'],
  [
    'does not wait for a clock that was ahead',
    { last: lastAt('2030-01-01T00:00:00Z') },
    '13:00:00',
  ],
  ['is tried again after a minute', { failure: failed(1) }, '12:31:00'],
  ['is tried again later and later', { failure: failed(4) }, '12:38:00'],
  ['is tried again every hour at least', { failure: failed(1000) }, '13:30:00'],
])('a backup %s', ([, status, expected]) => {
  expect(nextBackup('hourly', status, NOW).toISOString().slice(11, 19)).toBe(expected)
})
