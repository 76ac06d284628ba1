import { expect, test } from 'vitest'
import { inTurns } from './longest-first.ts'

const file = (name: string, minutes: number, takesTurn = false) => ({ name, minutes, takesTurn })

test('starts no file that takes turns while another one should run', () => {
  const files = [file('a', 5, true), file('b', 4, true), file('c', 3), file('d', 3), file('e', 1)]

  // One worker runs a, the other c and d; then b beside the rest of d, and e.
  expect(inTurns(files, 2).map(({ name }) => name)).toEqual(['a', 'c', 'd', 'b', 'e'])
})

test('starts the longest first without such files, and all of them when only such are left', () => {
  const plain = [file('a', 3), file('b', 2), file('c', 1)]
  const turns = [file('a', 3, true), file('b', 2, true), file('c', 1, true)]

  expect(inTurns(plain, 2)).toEqual(plain)
  expect(inTurns(turns, 2)).toEqual(turns)
})
