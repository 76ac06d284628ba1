import { expect, test } from 'vitest'
import { prefixed } from '../../../src/shared/text/prefixed.ts'

test.for([
  [['one\ntwo\n'], 'a: one\na: two\n'],
  [['o', 'ne\nt', 'wo\n'], 'a: one\na: two\n'],
  [['one\n', '\n', 'no end'], 'a: one\na: \na: no end\n'],
  [[], ''],
] as const)('puts the prefix before each line of %j', async ([chunks, text]) => {
  async function* stream() {
    yield* chunks
  }

  expect((await Array.fromAsync(prefixed(stream(), 'a: '))).join('')).toBe(text)
})
