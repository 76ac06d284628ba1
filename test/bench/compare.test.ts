import { expect, test } from 'vitest'
import { difference, ratio, slowest, total, value, verdictOf } from '../../bench/compare.ts'
import { median, quantile } from '../../bench/statistics.ts'

const SAMPLES = { own: [30, 10, 20], other: [10, 8, 12] }
const ALONE = { name: 'x', what: 'x', unit: 'ms', of: 'own', samples: SAMPLES } as const
const MEASURED = { ...ALONE, to: { samples: 'other', what: 'other' } } as const

test.for([
  [[3], 3],
  [[3, 1, 2], 2],
  [[4, 1, 2, 3], 2.5],
  [[10, 9, 100], 10],
  [[], NaN],
] as const)('the median of %j is in the middle', ([samples, middle]) => {
  expect(median(samples)).toBe(middle)
})

test.for([
  [0, 1],
  [0.5, 5],
  [0.99, 10],
  [1, 10],
] as const)('the quantile %d of ten samples is sample %d', ([share, sample]) => {
  expect(quantile([3, 1, 2, 10, 9, 8, 7, 6, 5, 4], share)).toBe(sample)
})

test('leaves samples in the order they were taken', () => {
  const samples = [3, 1, 2]

  median(samples)

  expect(samples).toEqual([3, 1, 2])
})

test('compares medians as a ratio', () => {
  const result = ratio(MEASURED)

  expect(result).toMatchObject({
    median: 20,
    reference: { what: 'other', median: 10 },
    compared: { as: 'ratio', value: 2, unit: 'x' },
    samples: SAMPLES,
  })
})

test('compares medians as a difference in their own unit', () => {
  expect(difference(MEASURED).compared).toEqual({ as: 'difference', value: 10, unit: 'ms' })
})

test('holds a value against its targets as it is', () => {
  const result = value({ ...ALONE, unit: 'MiB' })

  expect(result.compared).toEqual({ as: 'value', value: 20, unit: 'MiB' })
  expect(result.reference).toBeUndefined()
})

test('misses a target for what happened in one round alone', () => {
  const failures = { ...ALONE, unit: 'requests', samples: { own: [0, 1, 0] }, target: 0 } as const

  expect(verdictOf(total(failures))).toBe('missed')
  expect(verdictOf(total({ ...failures, samples: { own: [0, 0, 0] } }))).toBe('ok')
})

test.for([
  [{ target: 2.5, goal: 2.1 }, 'ok'],
  [{ target: 2 }, 'ok'],
  [{ target: 2.5, goal: 1.9 }, 'ok, goal missed'],
  [{ target: 1.9, goal: 1 }, 'missed'],
  [{}, ''],
] as const)('a ratio of 2 under %j is "%s"', ([limits, verdict]) => {
  expect(verdictOf(ratio({ ...MEASURED, ...limits }))).toBe(verdict)
})

test('holds what 95 % of the samples do not exceed against the target', () => {
  const own = Array.from({ length: 20 }, (_, index) => index + 1)
  const result = slowest({ ...ALONE, samples: { own }, target: 18 })

  expect(result).toMatchObject({ median: 19, compared: { as: 'value', value: 19, unit: 'ms' } })
  expect(result.notes).toEqual(['of 20, the longest took 20 ms'])
  expect(verdictOf(result)).toBe('missed')
})
