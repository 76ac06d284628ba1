import { expect, test } from 'vitest'
import { isInRanges, isRange, isWithin } from '../../../src/shared/network/ip-range.ts'

test.for([
  ['10.20.0.0/16', true],
  ['fd00::/8', true],
  ['10.20.0.0', false],
  ['10.20.0.0/33', false],
  ['db.example.com/24', false],
] as const)('%s is a range: %s', ([text, expected]) => {
  expect(isRange(text)).toBe(expected)
})

test('has no range with what is not an address of its family', () => {
  expect(isInRanges('10.0.0.1', ['::/0'])).toBe(false)
  expect(isInRanges('db.example.com', ['0.0.0.0/0', '::/0'])).toBe(false)
})

test.for([
  ['10.20.0.0/16', '10.0.0.0/8', true],
  ['10.0.0.0/8', '10.0.0.0/8', true],
  ['10.0.0.0/8', '10.20.0.0/16', false],
  ['10.0.0.0/8', '::/0', false],
  ['fd00:ec2::254/128', 'fc00::/7', true],
] as const)('%s is within %s: %s', ([range, other, expected]) => {
  expect(isWithin(range, other)).toBe(expected)
})
