import { VplaneError } from '../../shared/errors.ts'
import { closestTo } from '../../shared/text/closest.ts'
import type { CommandInfo } from './command-info.ts'
import { commandAfterDashes } from './command-words.ts'

export type Found =
  | { kind: 'command'; id: string; argv: string[] }
  /** Help on a command, on a topic such as `config`, or on everything. */
  | { kind: 'help'; about: string | undefined }

/** @throws {VplaneError} `USAGE` with the most likely command when a command line names none. */
export function findCommand(
  argv: readonly string[],
  commands: readonly CommandInfo[],
  bin: string,
): Found {
  const { own } = commandAfterDashes(argv)
  const wantsHelp = asksForHelp(argv)
  const words = own.slice(0, own.findIndex((word) => word.startsWith('-')) >>> 0)
  const match = matchWords(words, commands)

  if (match !== undefined) {
    const { command, length } = match
    return wantsHelp
      ? { kind: 'help', about: command.id }
      : { kind: 'command', id: command.id, argv: argv.slice(length) }
  }
  if (wantsHelp && words.length === 0) {
    return { kind: 'help', about: undefined }
  }
  if (words.length === 1 && isTopic(words[0], commands)) {
    return { kind: 'help', about: words[0] }
  }
  throw words.length === 0 ? flagInFront(own, commands, bin) : unknownCommand(words, commands, bin)
}

/** Whether a command line asks for help; what the user's own command gets does not count. */
export function asksForHelp(argv: readonly string[]): boolean {
  const { own } = commandAfterDashes(argv)
  return own.includes('--help') || own.includes('-h') || argv.length === 0
}

/** The command that the first words name, by its id or an alias, the longest first. */
export function matchWords(
  words: readonly string[],
  commands: readonly CommandInfo[],
): { command: CommandInfo; length: number } | undefined {
  for (const length of [2, 1]) {
    const id = words.slice(0, length).join(':')
    const command = commands.find((one) => one.id === id || one.aliases?.includes(id))
    if (words.length >= length && command !== undefined) {
      return { command, length }
    }
  }
  return undefined
}

/** Whether a word names a group of commands: `config` for `config:get`. */
export function isTopic(word: string | undefined, commands: readonly CommandInfo[]): boolean {
  return commands.some(({ id }) => id.startsWith(`${word}:`))
}

/** Commands to show by name, each once: the framework lists a command again under each alias. */
export function visibleCommands(commands: readonly CommandInfo[]): CommandInfo[] {
  const aliases = new Set(commands.flatMap((command) => command.aliases ?? []))
  return commands
    .filter(({ id, hidden }) => hidden !== true && !aliases.has(id))
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
}

function unknownCommand(
  words: readonly string[],
  commands: readonly CommandInfo[],
  bin: string,
): VplaneError {
  const [first = '', second] = words
  const isBelowTopic = second !== undefined && isTopic(first, commands)
  const given = isBelowTopic ? `${first} ${second}` : first
  const names = commands
    .filter(({ hidden }) => hidden !== true)
    .flatMap(({ id, aliases = [] }) => [id, ...aliases])
    .filter((id) => !isBelowTopic || id.startsWith(`${first}:`))
    .map((id) => id.replaceAll(':', ' '))
  const topics = isBelowTopic ? [] : names.map((name) => name.split(' ')[0] ?? '')
  const closest = closestTo(given, [...new Set([...names, ...topics])])
  return new VplaneError('USAGE', `there is no command "${given}"`, {
    hints: [
      ...(closest === undefined ? [] : [`did you mean "${bin} ${closest}"?`]),
      isBelowTopic ? `${bin} help ${first}` : `${bin} help`,
    ],
  })
}

/** `vplane --json list`: the flags belong to the command. */
function flagInFront(
  own: readonly string[],
  commands: readonly CommandInfo[],
  bin: string,
): VplaneError {
  const [flag = '--', ...rest] = own
  const at = rest.findIndex((word) => matchWords([word], commands) !== undefined)
  const turned = [...rest.slice(at), flag, ...rest.slice(0, at)].join(' ')
  return new VplaneError('USAGE', `"${flag}" comes before the command`, {
    hints: [at === -1 ? `${bin} COMMAND ${flag}` : `${bin} ${turned}`, `${bin} help`],
  })
}
