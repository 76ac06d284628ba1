import { expect, test } from 'vitest'
import {
  backupProblem,
  type BackupStatus,
} from '../../../src/control-plane/status/backup-status.ts'

const NOON = new Date('2026-01-01T12:00:00Z')
const at = (minutes: number) => new Date(NOON.getTime() + minutes * 60_000)
const last = { id: 'dev-20260101-110000-1a2b', at: at(-60), revision: 7, sizeBytes: 3 }
const failure = { at: at(-5), reason: 'no such bucket', count: 2 }

test.for<[string, BackupStatus, number, string | undefined]>([
  ['is due later', { last, nextAt: at(5) }, -600, undefined],
  ['is being taken', { last, nextAt: at(-14) }, -600, undefined],
  ['should have been taken long ago', { last, nextAt: at(-16) }, -600, 'is overdue: '],
  ['was never taken, and is new', {}, -14, undefined],
  ['was never taken', {}, -16, 'is overdue: '],
  ['has failed', { last, failure, nextAt: at(5) }, -600, 'failed: no such bucket'],
])('a backup that %s has a problem or not', ([, status, created, expected]) => {
  const problem = backupProblem(status, { createdAt: at(created), now: NOON })

  expect(problem === undefined ? undefined : problem.slice(0, expected?.length)).toBe(expected)
})
