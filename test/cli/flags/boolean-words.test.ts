import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { normalizeBooleans } from '../../../src/cli/flags/boolean-words.ts'

const FLAGS = {
  wait: { type: 'boolean', allowNo: true },
  yes: { type: 'boolean', char: 'y' },
  json: { type: 'boolean' },
  set: { type: 'option' },
} as const

test.for([
  [['--wait=true'], ['--wait']],
  [['--wait=false'], ['--no-wait']],
  [['--wait=FALSE'], ['--no-wait']],
  [
    ['--yes=true', 'dev'],
    ['--yes', 'dev'],
  ],
  [['--yes=false', 'dev'], ['dev']],
  [['-y=false', 'dev'], ['dev']],
  [
    ['-y=true', 'dev'],
    ['--yes', 'dev'],
  ],
  [['--yes', '--yes=false'], []],
  [['-y', '--yes=false'], []],
  [['--yes=false', '--yes'], ['--yes']],
  [
    ['--no-wait', 'dev'],
    ['--no-wait', 'dev'],
  ],
  [['--set=a=true'], ['--set=a=true']],
  [
    ['--set', 'true'],
    ['--set', 'true'],
  ],
  [['--unknown=true'], ['--unknown=true']],
  [
    ['dev', '--', '--wait=false', '--json', 'true'],
    ['dev', '--', '--wait=false', '--json', 'true'],
  ],
  [['true'], ['true']],
] as const)('reads %j as %j', ([words, expected]) => {
  expect(normalizeBooleans(words, FLAGS)).toEqual(expected)
})

test.for([
  [
    ['--wait=maybe'],
    '"--wait=maybe" is not valid',
    'use --wait, --no-wait, --wait=true or --wait=false',
  ],
  [['--wait='], '"--wait=" is not valid', 'use --wait, --no-wait, --wait=true or --wait=false'],
  [['--yes=1'], '"--yes=1" is not valid', 'use --yes, --yes=true or --yes=false'],
  [
    ['--no-wait=true'],
    '"--no-wait=true" is not valid',
    'use --wait, --no-wait, --wait=true or --wait=false',
  ],
  [['--wait', 'false', 'dev'], '"--wait false" is not valid', 'use --wait=false'],
  [['-y', 'true'], '"-y true" is not valid', 'use --yes=true'],
] as const)('refuses %j with the right spelling', ([words, message, hint]) => {
  expect(() => normalizeBooleans(words, FLAGS)).toThrow(
    expect.objectContaining({ code: 'USAGE', message, hints: [hint] }),
  )
})

test('never touches a word after --, whatever it is', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), (command) => {
      const words = normalizeBooleans(['dev', '--', ...command], FLAGS)

      expect(words).toEqual(['dev', '--', ...command])
    }),
  )
})
