import { expect, test } from 'vitest'
import { isLater } from '../../../src/shared/text/version-order.ts'

test.for([
  ['1.2.4', '1.2.3', true],
  ['1.10.0', '1.9.9', true],
  ['2.0.0', '1.99.99', true],
  ['1.2.3', '1.2.3', false],
  ['1.2.3', '1.2.4', false],
  ['1.9.9', '1.10.0', false],
  ['1.2.3-beta.2', '1.2.3-beta.1', false],
  ['1.2.3', 'unknown', true],
  ['unknown', '1.2.3', false],
] as const)('compares %s with %s', ([version, other, expected]) => {
  expect(isLater(version, other)).toBe(expected)
})
