import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { section, twoColumns } from '../../../src/cli/help/help-layout.ts'
import { NO_BREAK, wrap } from '../../../src/cli/terminal/wrap.ts'

test.for([
  ['at spaces, and keeps line breaks', 'one two three\nfour', ['one two', 'three', 'four']],
  ['no word that is too long', 'a https://a.com/long b', ['a', 'https://a.com/long', 'b']],
  ['no space that says so', `one [default:${NO_BREAK}5m]`, ['one', '[default: 5m]']],
] as const)('wraps %s', ([, text, lines]) => {
  expect(wrap(text, 8)).toEqual(lines)
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
  const rows = Object.entries({ a: 'one two three', long: 'four' })

  expect(twoColumns(rows, { width: 17 })).toEqual([
    '  a     one two',
    '        three',
    '  long  four',
  ])
})

test('sets the text below a term that is too long', () => {
  const rows = Object.entries({ a: 'one', 'very-long-term': 'two' })

  const lines = twoColumns(rows, { width: 30, maxLeft: 8 })

  expect(lines).toEqual(['  a  one', '  very-long-term', '     two'])
})

test('leaves out a section without lines', () => {
  expect(section('Flags', [], false)).toEqual([])
  expect(section('Flags', ['  --x'], false)).toEqual(['Flags\n  --x'])
})
