import { expect, test } from 'vitest'
import { callOf, type CommandInfo } from '../../src/cli/catalog/command-info.ts'
import { visibleCommands } from '../../src/cli/catalog/find-command.ts'
import { helpOn } from '../../src/cli/help/help.ts'
import { allCommands } from './all-commands.ts'

const BIN = '<%= config.bin %>'

/** What is wrong with the texts of a command. */
function complaints(command: CommandInfo): string[] {
  const { id, summary = '', description = '', examples = [], args = {}, flags = {} } = command
  const isSentence = (text: string) => /^["A-Z][^]*\.$/.test(text)
  const commandLines = examples.map((one) => (typeof one === 'string' ? one : one.command))
  return [
    ...(isSentence(summary) ? [] : ['the summary is no sentence']),
    ...(summary.length > 66 ? ['the summary is too long for the list of commands'] : []),
    ...(description === '' || isSentence(description) ? [] : ['the description is no sentence']),
    ...(commandLines.length === 0 ? ['there is no example'] : []),
    ...commandLines
      .filter((line) => !line.includes(callOf({ id }, BIN)))
      .map((line) => `the example "${line}" does not call the command`),
    ...Object.entries(args)
      .filter(([, arg]) => !isSentence(arg.description ?? ''))
      .map(([name]) => `the argument ${name} has no sentence that describes it`),
    ...Object.entries(flags)
      .filter(([, flag]) => !isSentence(flag.summary ?? ''))
      .map(([name]) => `the flag --${name} has no sentence as a summary`),
    ...Object.entries(flags)
      .filter(([, flag]) => flag.type === 'option' && !flag.options && flag.helpValue === undefined)
      .map(([name]) => `the flag --${name} does not name its value`),
  ].map((complaint) => `${id}: ${complaint}`)
}

test('every command says what it does, with examples, and so does each flag and argument', async () => {
  const commands = await allCommands()

  expect(commands.length).toBeGreaterThan(10)
  expect(commands.flatMap(complaints)).toEqual([])
})

test('root help fits on a screen of 48 lines, and has each command or its topic', async () => {
  const commands = await allCommands()
  const text = helpOn([], commands, { bin: 'vplane' })

  expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(48)
  for (const { id } of visibleCommands(commands).filter((command) => command.id !== 'help')) {
    const [word] = id.split(':')
    expect(text).toMatch(new RegExp(`^  ${word} +[A-Z].*\\.$`, 'm'))
  }
})

test.for(['vplane', 'kubectl vplane'])(
  'no line of help is wider than 80 columns as "%s"',
  async (bin) => {
    const commands = await allCommands()
    const subjects = [[], ['exit-codes'], ['config'], ...commands.map(({ id }) => id.split(':'))]

    const wide = subjects.flatMap((words) =>
      helpOn(words, commands, { bin })
        .split('\n')
        .filter((line) => line.length > 80),
    )

    expect(wide).toEqual([])
  },
)

test('finds what is wrong with a text', () => {
  const command: CommandInfo = {
    id: 'x',
    summary: 'prints',
    examples: ['vplane y'],
    args: { name: {} },
    flags: { f: { type: 'option', summary: 'A value.' }, g: { type: 'boolean' } },
  }

  expect(complaints(command)).toEqual([
    'x: the summary is no sentence',
    'x: the example "vplane y" does not call the command',
    'x: the argument name has no sentence that describes it',
    'x: the flag --g has no sentence as a summary',
    'x: the flag --f does not name its value',
  ])
})
