import { describe, expect, test } from 'vitest'
import {
  formatResults,
  notRun,
  type PhaseResult,
  ran,
  totalLine,
} from '../../scripts/test/results.ts'

const NONE = { passed: 0, failed: 0, skipped: 0 }
const COUNTS = { passed: 3, failed: 0, skipped: 1 }
const REPORT = { counts: COUNTS, failures: [], files: [] }

test.for([
  ['counts the tests of its report', { isOk: true, report: REPORT }, COUNTS],
  ['that failed counts as one failure', { isOk: false }, { ...NONE, failed: 1 }],
  [
    'that failed without a failed test counts as one failure beside its tests',
    { isOk: false, report: REPORT },
    { ...COUNTS, failed: 1 },
  ],
  ['that runs no tests and passes counts for nothing', { isOk: true }, NONE],
] as const)('a phase %s', ([, end, counts]) => {
  expect(ran('unit', { minutes: 1, ...end }).counts).toEqual(counts)
})

describe('the last line', () => {
  test('sums all phases, and speaks of skipped tests only when there are some', () => {
    expect(totalLine([phase(4, 0, 0), phase(5, 2, 0)])).toBe('9 passed, 2 failed')
    expect(totalLine([phase(4, 0, 1), phase(5, 0, 2)])).toBe('9 passed, 0 failed, 3 skipped')
  })

  test('follows a table with the minutes of each phase and of all', () => {
    const lines = formatResults([phase(1, 0, 0), { ...phase(0, 1, 0), isOk: false }]).split('\n')

    expect(lines).toEqual([
      'unit             passed     1.50 min',
      'unit             FAILED     1.50 min',
      'all                         3.00 min',
      '1 passed, 1 failed',
    ])
  })
})

test('a phase that cannot run here is in the table with the reason, and counts for nothing', () => {
  const lines = formatResults([phase(1, 0, 0), notRun('lab', 'it needs root')]).split('\n')

  expect(lines).toEqual([
    'unit             passed     1.50 min',
    'lab              not run: it needs root',
    'all                         1.50 min',
    '1 passed, 0 failed',
  ])
})

test('a phase that has to run and cannot fails with the reason', () => {
  const lab = notRun('lab', 'it needs root', { hasToRun: true })

  expect(lab.isOk).toBe(false)
  expect(formatResults([lab]).split('\n')).toEqual([
    'lab              FAILED, not run: it needs root',
    'all                         0.00 min',
    '0 passed, 1 failed',
  ])
})

test('what failed is said at the end', () => {
  const failures = ['test/some.test.ts: breaks\n    expected 1']

  const [first] = formatResults([{ ...phase(1, 2, 0), failures }]).split('\n\n')

  expect(first).toBe('FAILED test/some.test.ts: breaks\n    expected 1')
})

describe('the minutes of files', () => {
  const files = Array.from({ length: 12 }, (_, index) => ({
    file: `test/${index}.lab.ts`,
    minutes: index,
    result: index === 3 ? ('failed' as const) : ('passed' as const),
  }))
  const results = [phase(1, 0, 0), { ...phase(12, 0, 0), name: 'lab', files }]

  test('are said of the ten slowest', () => {
    const lines = formatResults(results).split('\n')

    expect(lines.slice(0, 3)).toEqual([
      'the slowest files:',
      '  11.00 min  passed  test/11.lab.ts',
      '  10.00 min  passed  test/10.lab.ts',
    ])
    expect(lines.filter((line) => line.includes('.lab.ts'))).toHaveLength(10)
  })

  test('are said of all files of some phases', () => {
    const lines = formatResults(results, ['lab']).split('\n')

    expect(lines[0]).toBe('all files of lab:')
    expect(lines.filter((line) => line.includes('.lab.ts'))).toHaveLength(12)
    expect(lines).toContain('   3.00 min  FAILED  test/3.lab.ts')
  })
})

function phase(passed: number, failed: number, skipped: number): PhaseResult {
  const counts = { passed, failed, skipped }
  return { name: 'unit', isOk: true, minutes: 1.5, counts, failures: [], files: [] }
}
