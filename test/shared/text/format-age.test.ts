import { expect, test } from 'vitest'
import { formatAge } from '../../../src/shared/text/format-age.ts'

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
] as const)('says that %i milliseconds are an age of %s', ([elapsedMs, expected]) => {
  const now = new Date('2030-01-01T00:00:00Z')

  expect(formatAge(new Date(now.getTime() - elapsedMs), now)).toBe(expected)
})
