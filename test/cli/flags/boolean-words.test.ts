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
  ['--wait=true', ['--wait']],
  ['--wait=false', ['--no-wait']],
  ['--wait=FALSE', ['--no-wait']],
  ['--yes=true dev', ['--yes', 'dev']],
  ['--yes=false dev', ['dev']],
  ['-y=false dev', ['dev']],
  ['-y=true dev', ['--yes', 'dev']],
  ['--yes --yes=false', []],
  ['-y --yes=false', []],
  ['--yes=false --yes', ['--yes']],
  ['--no-wait dev', ['--no-wait', 'dev']],
  ['--set=a=true', ['--set=a=true']],
  ['--set true', ['--set', 'true']],
  ['--unknown=true', ['--unknown=true']],
  ['dev -- --wait=false --json true', ['dev', '--', '--wait=false', '--json', 'true']],
  ['true', ['true']],
] as const)('reads "%s" as %j', ([line, expected]) => {
  expect(normalizeBooleans(line.split(' '), FLAGS)).toEqual(expected)
})

test.for([
  ['--wait=maybe', '--wait=maybe', 'use --wait, --no-wait, --wait=true or --wait=false'],
  ['--wait=', '--wait=', 'use --wait, --no-wait, --wait=true or --wait=false'],
  ['--yes=1', '--yes=1', 'use --yes, --yes=true or --yes=false'],
  ['--no-wait=true', '--no-wait=true', 'use --wait, --no-wait, --wait=true or --wait=false'],
  ['--wait false dev', '--wait false', 'use --wait=false'],
  ['-y true', '-y true', 'use --yes=true'],
] as const)('refuses "%s" with the right spelling', ([line, wrong, hint]) => {
  const message = `"${wrong}" is not valid`

  expect(() => normalizeBooleans(line.split(' '), FLAGS)).toThrow(
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
