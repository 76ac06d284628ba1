import { expect, test } from 'vitest'
import { isSchedule, nextTime } from '../../../../src/control-plane/spec/fields/backup-schedule.ts'

test.for([
  ['hourly', '2026-01-01T03:00:00.000Z'],
  ['daily', '2026-01-02T00:00:00.000Z'],
  ['weekly', '2026-01-04T00:00:00.000Z'],
  ['30 3 * * *', '2026-01-01T03:30:00.000Z'],
  ['*/15 * * * *', '2026-01-01T02:15:00.000Z'],
  ['0 9 * * MON', '2026-01-05T09:00:00.000Z'],
  ['*/10 * * * * *', '2026-01-01T02:00:10.000Z'],
] as const)('the schedule %j runs next at %s', ([schedule, expected]) => {
  expect(isSchedule(schedule)).toBe(true)
  expect(nextTime(schedule, new Date('2026-01-01T02:00:00Z')).toISOString()).toBe(expected)
})

test.for([
  '',
  'yearly',
  '* * * *',
  '* * * * * * *',
  '61 * * * *',
  '0 0 30 2 *',
  '2030-01-01T00:00:00',
])('refuses %j', (text) => {
  expect(isSchedule(text)).toBe(false)
})
