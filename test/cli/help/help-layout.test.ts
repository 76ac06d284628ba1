import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { section, twoColumns } from '../../../src/cli/help/help-layout.ts'
import { NO_BREAK, wrap } from '../../../src/cli/terminal/wrap.ts'

test('wraps at spaces and keeps line breaks', () => {
  expect(wrap('one two three\nfour', 8)).toEqual(['one two', 'three', 'four'])
})

test('does not cut a word that is too long', () => {
  expect(wrap('a https://example.com/long b', 10)).toEqual(['a', 'https://example.com/long', 'b'])
})

test('does not break at a space that says so', () => {
  expect(wrap(`one [default:${NO_BREAK}5m]`, 10)).toEqual(['one', '[default: 5m]'])
})

test('loses no word', () => {
  fc.assert(
    fc.property(
      fc.array(fc.stringMatching(/^\S{1,12}$/)),
      fc.integer({ min: 1, max: 40 }),
      (words, width) => {
        expect(wrap(words.join(' '), width).join(' ')).toBe(words.join(' '))
      },
    ),
  )
})

test('sets texts beside their terms, and wraps them there', () => {
  expect(
    twoColumns(
      [
        ['a', 'one two three'],
        ['long', 'four'],
      ],
      { width: 17 },
    ),
  ).toEqual(['  a     one two', '        three', '  long  four'])
})

test('sets the text below a term that is too long', () => {
  expect(
    twoColumns(
      [
        ['a', 'one'],
        ['very-long-term', 'two'],
      ],
      { width: 30, maxLeft: 8 },
    ),
  ).toEqual(['  a  one', '  very-long-term', '     two'])
})

test('leaves out a section without lines', () => {
  expect(section('Flags', [], false)).toEqual([])
  expect(section('Flags', ['  --x'], false)).toEqual(['Flags\n  --x'])
})
