import { expect, test } from 'vitest'
import type { ArgumentInfo, CommandInfo, FlagInfo } from '../../src/cli/catalog/command-info.ts'
import { allCommands } from './all-commands.ts'

/**
 * The contract that scripts rely on: a change of it must be seen in a review. After a wanted change, write it again with
 * `npm run test:unit -- -u test/commands`.
 */
test('commands, aliases, arguments and flags are those of the snapshot', async () => {
  const contract = Object.fromEntries(
    (await allCommands()).map((command) => [command.id, contractOf(command)]),
  )

  await expect(`${JSON.stringify(contract, undefined, 2)}\n`).toMatchFileSnapshot(
    'commands.snapshot.json',
  )
})

function contractOf({ aliases = [], args = {}, flags = {}, hidden, passedCommand }: CommandInfo) {
  const sortedFlags = Object.entries(flags).toSorted(([one], [other]) => one.localeCompare(other))
  return {
    ...(aliases.length === 0 ? {} : { aliases: aliases.join(', ') }),
    ...(hidden === true ? { hidden } : {}),
    ...(passedCommand === undefined ? {} : { passedCommand }),
    args: Object.fromEntries(Object.entries(args).map(([name, arg]) => [name, shapeOf(arg)])),
    flags: Object.fromEntries(
      sortedFlags.map(([name, flag]) => [name, `${kindOf(flag)}${shapeOf(flag)}`]),
    ),
  }
}

function kindOf({ type, char, allowNo }: FlagInfo): string {
  const kind = type === 'option' ? 'value ' : 'boolean '
  return `${kind}${allowNo === true ? 'negatable ' : ''}${char === undefined ? '' : `-${char} `}`
}

function shapeOf({ required, multiple, options }: ArgumentInfo): string {
  return [
    required === true ? 'required' : 'optional',
    ...(multiple === true ? ['repeated'] : []),
    ...(options === undefined ? [] : [options.join('|')]),
  ].join(' ')
}
