import { expect, test } from 'vitest'
import { leastMs, planRounds } from './plan-rounds.ts'

const OPERATIONS = 16

test('is the same for a seed, of which a sample is the beginning, and another for another', () => {
  expect(planRounds(7, 20).slice(0, 6)).toEqual(planRounds(7, 6))
  expect(planRounds(8, 20)).not.toEqual(planRounds(7, 20))
})

test('has planes with and without pods in turn, and kills nothing that is not there', () => {
  const rounds = planRounds(7, 10 * OPERATIONS)

  expect(rounds.slice(0, OPERATIONS).every(({ isSynced }) => !isSynced)).toBe(true)
  expect(rounds.slice(OPERATIONS, 2 * OPERATIONS).every(({ isSynced }) => isSynced)).toBe(true)
  expect(planRounds(8, 1)).toMatchObject([{ isSynced: true }])
  const more = rounds.filter(({ victim }) => ['syncer', 'keeper'].includes(victim))
  expect(new Set(more.map(({ victim }) => victim)).size).toBe(2)
  expect(new Set(more.map(({ isSynced }) => isSynced))).toEqual(new Set([true]))
})

test('has all operations before one comes again', () => {
  const operations = planRounds(7, 2 * OPERATIONS).map(({ operation }) => operation)

  expect(new Set(operations.slice(0, OPERATIONS)).size).toBe(OPERATIONS)
  expect(operations.slice(0, OPERATIONS).toSorted()).toEqual(
    operations.slice(OPERATIONS).toSorted(),
  )
  expect(Math.min(...operations.map(leastMs))).toBeGreaterThan(0)
})
