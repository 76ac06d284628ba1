import { expect, test } from 'vitest'
import { dataFormatIn, outputFlag } from '../../../src/cli/flags/output-flag.ts'

test.for([
  [['-o', 'json'], 'json'],
  [['-oyaml'], 'yaml'],
  [['-o=yaml', '-n', 'team-a'], 'yaml'],
  [['--output', 'json'], 'json'],
  [['--output=json'], 'json'],
  [['-o', 'wide'], undefined],
  [['dev', 'json'], undefined],
  [[], undefined],
] as const)('takes %j for the format %s', ([words, format]) => {
  expect(dataFormatIn(words, outputFlag('json', 'yaml', 'wide'))).toBe(format)
})

test('knows no format of a command whose -o is something else', () => {
  expect(dataFormatIn(['-o', 'json'], undefined)).toBeUndefined()
  expect(dataFormatIn(['-o', 'json'], { type: 'option', char: 'o' })).toBeUndefined()
})
