import { expect, test } from 'vitest'
import { findCommand } from '../../../src/cli/catalog/find-command.ts'
import { SOME_COMMANDS } from '../some-commands.ts'

const find = (argv: readonly string[]) => findCommand(argv, SOME_COMMANDS, 'vplane')

test.for([
  [['create', 'dev', '--wait'], 'create', ['dev', '--wait']],
  [['rm', 'dev'], 'delete', ['dev']],
  [['config', 'set', 'driver', 'local'], 'config:set', ['driver', 'local']],
  [['connect', 'dev', '--', 'kubectl', '--help'], 'connect', ['dev', '--', 'kubectl', '--help']],
  [['internal'], 'internal', []],
  [['create', 'config', 'get'], 'create', ['config', 'get']],
] as const)('finds the command of %j', ([argv, id, rest]) => {
  expect(find(argv)).toEqual({ kind: 'command', id, argv: rest })
})

test.for([
  [[], undefined],
  [['--help'], undefined],
  [['-h'], undefined],
  [['create', '--help'], 'create'],
  [['create', 'dev', '-h'], 'create'],
  [['config', 'set', '-h'], 'config:set'],
  [['config'], 'config'],
  [['config', '--help'], 'config'],
  [['rm', '--help'], 'delete'],
] as const)('shows help for %j', ([argv, about]) => {
  expect(find(argv)).toEqual({ kind: 'help', about })
})

test.for([
  [['craete'], 'there is no command "craete"', 'did you mean "vplane create"?'],
  [['confg'], 'there is no command "confg"', 'did you mean "vplane config"?'],
  [['config', 'gte'], 'there is no command "config gte"', 'did you mean "vplane config get"?'],
  [['delet', 'dev', '--help'], 'there is no command "delet"', 'did you mean "vplane delete"?'],
  [['frobnicate'], 'there is no command "frobnicate"', 'vplane help'],
  [['config', 'frobnicate'], 'there is no command "config frobnicate"', 'vplane help config'],
  [['interna'], 'there is no command "interna"', 'vplane help'],
  [['--json', 'connect', 'dev'], '"--json" comes before the command', 'vplane connect dev --json'],
  [['--bogus'], '"--bogus" comes before the command', 'vplane COMMAND --bogus'],
  [['--', 'create'], '"--" comes before the command', 'vplane COMMAND --'],
] as const)('refuses %j and says what to do', ([argv, message, hint]) => {
  expect(() => find(argv)).toThrow(
    expect.objectContaining({ code: 'USAGE', message, hints: expect.arrayContaining([hint]) }),
  )
})

test('calls itself by the name it was started with', () => {
  expect(() => findCommand(['craete'], SOME_COMMANDS, 'kubectl vplane')).toThrow(
    expect.objectContaining({
      hints: ['did you mean "kubectl vplane create"?', 'kubectl vplane help'],
    }),
  )
})
