import { expect, test } from 'vitest'
import { linesOf, wholeLines } from '../../../src/shared/text/whole-lines.ts'

test.for([
  [['one\ntwo\n'], ['one\ntwo\n']],
  [
    ['o', 'ne\nt', 'wo\n'],
    ['one\n', 'two\n'],
  ],
  [
    ['one\n', '\n', 'no end'],
    ['one\n', '\n', 'no end\n'],
  ],
  [
    ['a', 'b', 'c\nd', 'e', '\n', 'f'],
    ['abc\n', 'de\n', 'f\n'],
  ],
  [[], []],
] as const)('cuts no line of %j', async ([chunks, expected]) => {
  async function* stream() {
    yield* chunks
  }

  expect(await Array.fromAsync(wholeLines(stream()))).toEqual(expected)
})

test('splits a text in its lines, also empty ones', () => {
  expect(linesOf('one\n\ntwo\n')).toEqual(['one', '', 'two'])
})
