import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  formatAge,
  formatDuration,
  formatSeconds,
  parseDuration,
  parseTime,
} from '../../../src/shared/text/duration.ts'

test.for([
  ['90s', 90_000],
  ['5m', 300_000],
  ['1h30m', 5_400_000],
  ['1.5s', 1500],
  ['250ms', 250],
  ['1m500ms', 60_500],
  ['24h', 86_400_000],
] as const)('reads %s as %i milliseconds', ([text, expected]) => {
  expect(parseDuration(text)).toBe(expected)
})

const NUMBERS = ['', '90', '0s', '0', '-5s', '1e3s', '999999999h']
const UNITS = ['5 m', '5d', 'm', 'abc', '5s!', ' 5s', '5S']

test.for([...NUMBERS, ...UNITS])('refuses "%s"', (text) => {
  expect(() => parseDuration(text)).toThrow(expect.objectContaining({ code: 'USAGE' }))
})

test('reports that the unit is missing, and suggests some', () => {
  expect(() => parseDuration('90')).toThrow(
    expect.objectContaining({
      message: '"90" is not a duration: the unit is missing',
      hints: ['90s, 90m or 90h'],
    }),
  )
})

test('formats a duration so that it is read as the same time', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 31 - 1 }), (durationMs) => {
      expect(parseDuration(formatDuration(durationMs))).toBe(durationMs)
    }),
  )
})

test.for([
  [90_000, '1m30s'],
  [300_000, '5m'],
  [5_400_000, '1h30m'],
  [1500, '1s500ms'],
] as const)('formats %i milliseconds as %s', ([durationMs, expected]) => {
  expect(formatDuration(durationMs)).toBe(expected)
})

test.for([
  [0, '0.0s'],
  [1240, '1.2s'],
  [59_940, '59.9s'],
  [59_960, '1m00s'],
  [65_000, '1m05s'],
  [119_700, '2m00s'],
  [3_600_000, '60m00s'],
] as const)('formats a step of %i milliseconds as %s', ([durationMs, expected]) => {
  expect(formatSeconds(durationMs)).toBe(expected)
})

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

// The values of kubectl's own HumanDuration.
test.for([
  [-5 * SECOND, '0s'],
  [0, '0s'],
  [5 * SECOND, '5s'],
  [119 * SECOND, '119s'],
  [2 * MINUTE, '2m'],
  [3 * MINUTE + 12 * SECOND, '3m12s'],
  [9 * MINUTE + 59 * SECOND, '9m59s'],
  [10 * MINUTE + 30 * SECOND, '10m'],
  [179 * MINUTE, '179m'],
  [3 * HOUR, '3h'],
  [4 * HOUR + 10 * MINUTE, '4h10m'],
  [8 * HOUR + 10 * MINUTE, '8h'],
  [47 * HOUR, '47h'],
  [2 * DAY, '2d'],
  [2 * DAY + 5 * HOUR, '2d5h'],
  [12 * DAY + 5 * HOUR, '12d'],
  [729 * DAY, '729d'],
  [2 * 365 * DAY, '2y'],
  [2 * 365 * DAY + DAY, '2y1d'],
  [9 * 365 * DAY + DAY, '9y'],
] as const)('formats an age of %i milliseconds as %s', ([elapsedMs, expected]) => {
  const now = new Date('2030-01-01T00:00:00Z')

  expect(formatAge(new Date(now.getTime() - elapsedMs), now)).toBe(expected)
})

test.for([
  ['2026-06-01T12:00:00Z', '2026-06-01T12:00:00.000Z'],
  ['2026-06-01T12:00:00.25+02:00', '2026-06-01T10:00:00.250Z'],
] as const)('reads %s as a time', ([text, expected]) => {
  expect(parseTime(text).toISOString()).toBe(expected)
})

const NO_TIMES = ['5m', '2026-06-01', '2026-06-01T12:00:00', '2026-13-01T12:00:00Z', '']

test.for(NO_TIMES)('refuses the time "%s"', (text) => {
  expect(() => parseTime(text)).toThrow(
    expect.objectContaining({ code: 'USAGE', hints: ['such as 2026-06-01T12:00:00Z'] }),
  )
})
