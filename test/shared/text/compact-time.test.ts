import { expect, test } from 'vitest'
import { compactTime } from '../../../src/shared/text/compact-time.ts'

test('writes a moment in seconds', () => {
  expect(compactTime(new Date('2026-01-02T03:04:05.678Z'))).toBe('20260102T030405')
})
