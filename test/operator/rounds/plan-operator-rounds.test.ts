import { expect, test } from 'vitest'
import { planOperatorRounds } from './plan-operator-rounds.ts'

const OPERATIONS = 8

test('is the same for a seed, and a few rounds are the first of many', () => {
  expect(planOperatorRounds(7, 20).slice(0, 6)).toEqual(planOperatorRounds(7, 6))
  expect(planOperatorRounds(8, 20)).not.toEqual(planOperatorRounds(7, 20))
})

test('has all operations before one comes again, and kills something in each round', () => {
  const rounds = planOperatorRounds(7, 5 * OPERATIONS)

  const first = rounds.slice(0, OPERATIONS).map(({ operation }) => operation)
  expect(new Set(first).size).toBe(OPERATIONS)
  expect(rounds.every(({ kills }) => kills.length > 0)).toBe(true)
  const victims = rounds.flatMap(({ kills }) => kills.map(({ victim }) => victim))
  expect(new Set(victims).size).toBe(3)
})
