import { expect, test } from 'vitest'
import { Patience } from '../../src/tunnel/patience.ts'

const OPTIONS = { longMs: 10_000, shortMs: 1000 }

test('waits for long where something is expected', () => {
  expect(new Patience(OPTIONS).budgetMs(5000)).toBe(10_000)
})

test('waits no longer than for long in all, however often a client tries', () => {
  const patience = new Patience(OPTIONS)

  patience.failed(5000, 9000)

  expect(patience.budgetMs(9000)).toBe(6000)
  patience.failed(9000, 15_000)
  expect(patience.budgetMs(15_000)).toBe(1000)
})

test('waits for long again behind an answer', () => {
  const patience = new Patience(OPTIONS)
  patience.failed(0, 10_000)

  patience.answered()

  expect(patience.budgetMs(11_000)).toBe(10_000)
})

test('forgets failures that lie far back', () => {
  const patience = new Patience(OPTIONS)
  patience.failed(0, 10_000)

  expect(patience.budgetMs(39_000)).toBe(1000)
  expect(patience.budgetMs(41_000)).toBe(10_000)
})

test('waits shortly for what has yet to start, and for long when it has', () => {
  const patience = new Patience({ ...OPTIONS, isExpected: false })
  expect(patience.budgetMs(0)).toBe(1000)
  patience.failed(0, 1000)
  expect(patience.budgetMs(60_000)).toBe(1000)

  patience.answered()

  expect(patience.budgetMs(61_000)).toBe(10_000)
})
