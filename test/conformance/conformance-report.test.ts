import { expect, test } from 'vitest'
import { formatRun } from './conformance-report.ts'

test('counts the specs that passed, and says of the others how they ended on the host', () => {
  const outcomes = [
    { name: 'one', state: 'passed' },
    { name: 'two', state: 'failed', message: 'no pod' },
    { name: 'three', state: 'failed', message: 'no node' },
  ] as const
  const onHost = [
    { name: 'two', state: 'failed' },
    { name: 'three', state: 'passed' },
  ] as const

  expect(formatRun({ name: 'a', outcomes: [...outcomes], onHost: [...onHost] })).toBe(
    `Run a: 1 of 3 specs passed
- two (on the host alone: failed)
- three (on the host alone: passed)`,
  )
})
