import { expect, test } from 'vitest'
import { parseOptions } from '../../bench/options.ts'

const KNOWN = ['create', 'memory']
const SCALE = { planes: [1, 10, 100, 1000], minutes: 10 }

test('measures everything five times when nothing is said', () => {
  expect(parseOptions([], KNOWN)).toEqual({ only: [], rounds: 5, ...SCALE })
})

test('takes names, rounds and files', () => {
  const words = ['--only', 'memory,create', '--rounds', '7', '--json', 'a.json']

  expect(parseOptions([...words, '--markdown', 'a.md'], KNOWN)).toEqual({
    only: ['memory', 'create'],
    rounds: 7,
    ...SCALE,
    json: 'a.json',
    markdown: 'a.md',
  })
})

test('takes the numbers of planes and the minutes of scale', () => {
  const options = parseOptions(['--planes', '1,20', '--minutes', '0.2'], KNOWN)

  expect(options).toMatchObject({ planes: [1, 20], minutes: 0.2 })
})

test.for([
  [['--only', 'creat'], /no figure is called "creat"; there are create, memory/],
  [['--rounds', '0'], /--rounds is "0"/],
  [['--rounds', 'many'], /--rounds is "many"/],
  [['--planes', '10,1'], /--planes is "10,1"/],
  [['--planes', '1,some'], /--planes is "1,some"/],
  [['--minutes', '0'], /--minutes is "0"/],
  [['--wrong'], /--wrong/],
] as const)('refuses %j', ([words, message]) => {
  expect(() => parseOptions(words, KNOWN)).toThrow(message)
})
