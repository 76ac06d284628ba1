import { expect, test } from 'vitest'
import { isQuantity, quantityValue } from '../../../../src/control-plane/spec/fields/quantity.ts'

test.for([
  ['0', 0],
  ['1', 1],
  ['1.5', 1.5],
  ['.5', 0.5],
  ['2.', 2],
  ['100m', 0.1],
  ['250u', 0.000_25],
  ['1n', 1e-9],
  ['1k', 1000],
  ['5M', 5e6],
  ['1G', 1e9],
  ['128Ki', 131_072],
  ['256Mi', 268_435_456],
  ['1.5Gi', 1_610_612_736],
  ['1Ti', 1_099_511_627_776],
  ['1e3', 1000],
  ['12E2', 1200],
  ['1e-3', 0.001],
  ['1E', 1e18],
] as const)('reads %s as %d', ([text, value]) => {
  expect(quantityValue(text)).toBeCloseTo(value, 12)
  expect(isQuantity(text)).toBe(true)
})

test.for(['', 'Mi', '1 Mi', '1mi', '1KI', '-1', '1,5', '1e', '.', '1Mi ', 'lots', '1e100'])(
  'takes %j for no quantity',
  (text) => {
    expect(quantityValue(text)).toBeUndefined()
    expect(isQuantity(text)).toBe(false)
  },
)
