import { expect, test } from 'vitest'
import { formatQuantity } from '../../../../../src/drivers/kubernetes/preflight/capacity/format-quantity.ts'

test.for([
  ['cpu', 0.25, '250m'],
  ['requests.cpu', 1.5, '1500m'],
  ['limits.cpu', 0.1 + 0.2, '300m'],
  ['cpu', 2, '2'],
  ['pods', 1024, '1024'],
  ['memory', 768 * 2 ** 20, '768Mi'],
  ['requests.storage', 2 ** 31, '2Gi'],
  ['memory', 1536 * 2 ** 20, '1536Mi'],
  ['memory', 1000, '1000'],
  ['memory', 0, '0'],
] as const)('writes %s of %d as %s', ([resource, value, text]) => {
  expect(formatQuantity(resource, value)).toBe(text)
})
