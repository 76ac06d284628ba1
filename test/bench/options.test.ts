import { expect, test } from 'vitest'
import { parseOptions } from '../../bench/options.ts'

const KNOWN = ['create', 'memory']

test('measures everything five times when nothing is said', () => {
  expect(parseOptions([], KNOWN)).toEqual({ only: [], rounds: 5 })
})

test('takes names, rounds and files', () => {
  const words = ['--only', 'memory,create', '--rounds', '7', '--json', 'a.json']

  expect(parseOptions([...words, '--markdown', 'a.md'], KNOWN)).toEqual({
    only: ['memory', 'create'],
    rounds: 7,
    json: 'a.json',
    markdown: 'a.md',
  })
})

test.for([
  [['--only', 'creat'], /no figure is called "creat"; there are create, memory/],
  [['--rounds', '0'], /--rounds is "0"/],
  [['--rounds', 'many'], /--rounds is "many"/],
  [['--wrong'], /--wrong/],
] as const)('refuses %j', ([words, message]) => {
  expect(() => parseOptions(words, KNOWN)).toThrow(message)
})
