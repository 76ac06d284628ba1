import { expect, test } from 'vitest'
import {
  type ShownOutcome,
  summaryOf,
  toSeveralResult,
} from '../../../src/cli/results/several-result.ts'
import { type ErrorCode, VplaneError } from '../../../src/shared/errors.ts'

const SUMMARY = { done: 'deleted', again: 'vplane delete -l a=b' }

type One = ShownOutcome<string>

const done = (name: string): One => ({ item: { name }, state: 'done', result: `${name} ended` })
const failed = (name: string, code: ErrorCode = 'FAILED', hint = `see ${name}`): One => ({
  item: { name, driver: 'kubernetes', namespace: 'team' },
  state: 'failed',
  error: new VplaneError(code, `${name} is broken\nas its log says`, { hints: [hint] }),
})

test('there is nothing to sum up if all planes are done', () => {
  expect(summaryOf([done('a'), done('b')], SUMMARY)).toBeUndefined()
})

test('sums up failures by name, and how to try again', () => {
  const error = summaryOf([done('a'), failed('b', 'TIMED_OUT'), failed('c', 'TIMED_OUT')], SUMMARY)

  expect(error).toMatchObject({
    code: 'TIMED_OUT',
    message: '2 of 3 control planes are not deleted:\n  team/b: b is broken\n  team/c: c is broken',
    hints: ['see b', 'see c', 'to try again: vplane delete -l a=b'],
  })
})

test('has an exit code of its own for different failures', () => {
  const error = summaryOf([failed('b', 'TIMED_OUT'), failed('c', 'UNREACHABLE')], SUMMARY)

  expect(error?.exitCode).toBe(7)
})

test('shows the hint that all failures share, and not those of many planes', () => {
  const names = ['a', 'b', 'c', 'd']
  const shared = names.map((name) => failed(name, 'USAGE', 'pass --force'))
  const hintsOf = (outcomes: One[]) => summaryOf(outcomes, SUMMARY)?.hints

  expect(hintsOf(shared)).toEqual(['pass --force', 'to try again: vplane delete -l a=b'])
  expect(hintsOf(names.map((name) => failed(name)))).toEqual(['to try again: vplane delete -l a=b'])
})

test('shows what a line with a colon introduces', () => {
  const error = new VplaneError('NEEDS_ATTENTION', 'left behind:\n  a file: it is in use\n  more')

  expect(summaryOf([{ item: { name: 'a' }, state: 'failed', error }], SUMMARY)?.message).toBe(
    '1 of 1 control plane is not deleted:\n  a: left behind: a file: it is in use',
  )
})

test('an interruption says how many are done, and what failed', () => {
  const error = new VplaneError('ABORTED', 'interrupted')
  const rest: One[] = [
    { item: { name: 'x' }, state: 'interrupted', error },
    { item: { name: 'y' }, state: 'not-started' },
  ]

  expect(summaryOf([done('a'), ...rest], SUMMARY)).toMatchObject({
    code: 'ABORTED',
    message: 'interrupted: 1 of 3 control planes is deleted',
  })
  expect(summaryOf([done('a'), failed('b'), ...rest], SUMMARY)?.message).toBe(
    'interrupted: 1 of 4 control planes is deleted, 1 failed:\n  team/b: b is broken',
  )
})

test('a stop after a failure has the code of the failure, and says how many are done', () => {
  const rest: One = { item: { name: 'y' }, state: 'not-started' }
  const stopped = { ...SUMMARY, isStopped: true }

  expect(summaryOf([done('a'), failed('b', 'TIMED_OUT'), rest], stopped)).toMatchObject({
    code: 'TIMED_OUT',
    message:
      'stopped after a failure: 1 of 3 control planes is deleted, 1 failed:\n  team/b: b is broken',
    hints: ['see b', 'to try again: vplane delete -l a=b'],
  })
  expect(summaryOf([done('a'), rest], stopped)?.code).toBe('ABORTED')
  expect(summaryOf([done('a'), failed('b')], stopped)?.message).toMatch(/^1 of 2 .* not deleted/)
})

test('returns what became of each plane', () => {
  const { items } = toSeveralResult([done('a'), failed('b')])

  expect(items).toEqual([
    {
      name: 'a',
      driver: null,
      namespace: null,
      hostContext: null,
      outcome: 'done',
      error: null,
      result: 'a ended',
    },
    {
      name: 'b',
      driver: 'kubernetes',
      namespace: 'team',
      hostContext: null,
      outcome: 'failed',
      error: expect.objectContaining({ code: 'FAILED', exitCode: 7, hints: ['see b'] }),
      result: null,
    },
  ])
})
