import { expect, test } from 'vitest'
import { goMemoryLimit } from '../../../src/manifests/values/component-values.ts'

test.for([
  ['256Mi', '230MiB'],
  ['1Gi', '921MiB'],
  ['1536Mi', '1382MiB'],
  ['1G', '858MiB'],
  ['536870912', '460MiB'],
] as const)('reserves a tenth of %s for memory the runtime does not count', ([limit, said]) => {
  expect(goMemoryLimit(limit)).toBe(said)
})

test('is off without a limit', () => {
  expect(goMemoryLimit(undefined)).toBe('off')
})
