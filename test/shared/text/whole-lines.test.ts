import { expect, test } from 'vitest'
import { linesOf, wholeLines } from '../../../src/shared/text/whole-lines.ts'

test.for([
  { chunks: ['one\ntwo\n'], expected: ['one\ntwo\n'] },
  { chunks: ['o', 'ne\nt', 'wo\n'], expected: ['one\n', 'two\n'] },
  { chunks: ['one\n', '\n', 'no end'], expected: ['one\n', '\n', 'no end\n'] },
  { chunks: ['a', 'b', 'c\nd', 'e', '\n', 'f'], expected: ['abc\n', 'de\n', 'f\n'] },
  { chunks: [], expected: [] },
])('cuts no line of %j', async ({ chunks, expected }) => {
  async function* stream() {
    yield* chunks
  }

  expect(await Array.fromAsync(wholeLines(stream()))).toEqual(expected)
})

test('splits a text in its lines, also empty ones', () => {
  expect(linesOf('one\n\ntwo\n')).toEqual(['one', '', 'two'])
})
