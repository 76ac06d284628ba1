import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  countsOf,
  failuresOf,
  formatResults,
  notRun,
  type PhaseResult,
  totalLine,
} from '../../scripts/test/results.ts'

const COUNTED = { numPassedTests: 3, numFailedTests: 0, numPendingTests: 1, numTodoTests: 2 }

describe('a phase', () => {
  test('counts the tests of its report', () => {
    const counts = countsOf(true, JSON.stringify({ ...COUNTED, testResults: [] }))

    expect(counts).toEqual({ passed: 3, failed: 0, skipped: 3 })
  })

  test('counts a test file that could not be loaded as a failure', () => {
    const testResults = [
      { status: 'failed', assertionResults: [] },
      { status: 'failed', assertionResults: [{ status: 'failed' }] },
      { status: 'passed', assertionResults: [] },
    ]

    const counts = countsOf(false, JSON.stringify({ ...COUNTED, numFailedTests: 1, testResults }))

    expect(counts.failed).toBe(2)
  })

  test('that failed without a failed test counts as one failure', () => {
    expect(countsOf(false, undefined)).toEqual({ passed: 0, failed: 1, skipped: 0 })
    expect(countsOf(false, JSON.stringify(COUNTED))).toEqual({ passed: 3, failed: 1, skipped: 3 })
  })

  test('that runs no tests and passes counts for nothing', () => {
    expect(countsOf(true, undefined)).toEqual({ passed: 0, failed: 0, skipped: 0 })
  })
})

describe('the last line', () => {
  test('sums all phases, and speaks of skipped tests only when there are some', () => {
    expect(totalLine([phase(4, 0, 0), phase(5, 2, 0)])).toBe('9 passed, 2 failed')
    expect(totalLine([phase(4, 0, 1), phase(5, 0, 2)])).toBe('9 passed, 0 failed, 3 skipped')
  })

  test('follows a table with the minutes of each phase and of all', () => {
    const lines = formatResults([phase(1, 0, 0), { ...phase(0, 1, 0), isOk: false }]).split('\n')

    expect(lines).toEqual([
      'unit         passed     1.50 min',
      'unit         FAILED     1.50 min',
      'all                     3.00 min',
      '1 passed, 1 failed',
    ])
  })
})

test('a phase that cannot run here is in the table with the reason, and counts for nothing', () => {
  const lines = formatResults([phase(1, 0, 0), notRun('lab', 'it needs root')]).split('\n')

  expect(lines).toEqual([
    'unit         passed     1.50 min',
    'lab          not run: it needs root',
    'all                     1.50 min',
    '1 passed, 0 failed',
  ])
})

test('what failed is said at the end, each test with its file and what it says', () => {
  const testResults = [
    {
      name: resolve('test/broken.test.ts'),
      status: 'failed',
      message: 'no such module',
      assertionResults: [],
    },
    {
      name: resolve('test/some.test.ts'),
      status: 'failed',
      assertionResults: [
        { status: 'passed', fullName: 'works' },
        {
          status: 'failed',
          fullName: 'breaks',
          failureMessages: ['\u001B[31mexpected 1\u001B[39m\n  at here'],
        },
      ],
    },
  ]
  const failures = failuresOf(JSON.stringify({ testResults }))

  const lines = formatResults([{ ...phase(1, 2, 0), isOk: false, failures }]).split('\n')

  expect(lines.slice(0, 7)).toEqual([
    'FAILED test/broken.test.ts',
    '    no such module',
    '',
    'FAILED test/some.test.ts: breaks',
    '    expected 1',
    '      at here',
    '',
  ])
  expect(failuresOf(undefined)).toEqual([])
})

function phase(passed: number, failed: number, skipped: number): PhaseResult {
  return { name: 'unit', isOk: true, minutes: 1.5, counts: { passed, failed, skipped } }
}
