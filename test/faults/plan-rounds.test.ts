import { expect, test } from 'vitest'
import { planRounds } from './plan-rounds.ts'

test('is the same for a seed, of which a sample is the beginning, and another for another', () => {
  expect(planRounds(7, 20).slice(0, 6)).toEqual(planRounds(7, 6))
  expect(planRounds(8, 20)).not.toEqual(planRounds(7, 20))
})

test('has planes with and without pods in turn, and kills no syncer that is not there', () => {
  const rounds = planRounds(7, 110)

  expect(rounds.slice(0, 11).every(({ isSynced }) => !isSynced)).toBe(true)
  expect(rounds.slice(11, 22).every(({ isSynced }) => isSynced)).toBe(true)
  expect(planRounds(8, 1)).toMatchObject([{ isSynced: true }])
  const without = rounds.filter(({ victim }) => victim === 'syncer').map((one) => one.isSynced)
  expect(new Set(without)).toEqual(new Set([true]))
})

test('has all operations before one comes again', () => {
  const operations = planRounds(7, 22).map(({ operation }) => operation)

  expect(new Set(operations.slice(0, 11)).size).toBe(11)
  expect(operations.slice(0, 11).toSorted()).toEqual(operations.slice(11).toSorted())
})
