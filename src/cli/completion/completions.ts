import type { CommandInfo, FlagInfo } from '../catalog/command-info.ts'
import type { SpecSchema } from '../../control-plane/explain/spec-schema.ts'
import { matchWords } from '../catalog/find-command.ts'
import { specPairs, specPaths } from './spec-paths.ts'

/** What can be completed besides commands and flags; read only when needed. */
export interface CompletionSources {
  planes(): readonly string[]
  contexts(): readonly string[]
  namespaces(): readonly string[]
  versions(): readonly string[]
  components(): readonly string[]
  settings(): readonly string[]
  snapshots(): readonly string[]
  spec(): SpecSchema
}

export interface Completions {
  /** Whole words, with a description after a tab where there is one. */
  candidates: string[]
  /** What the shell may add: 0 files if there are no candidates, 4 nothing, 6 not even a space, 16 folders. */
  directive: 0 | 4 | 6 | 16
}

const NOTHING: Completions = { candidates: [], directive: 4 }

/** Arguments and flags by their name, and what completes them. */
const VALUES: Record<string, Exclude<keyof CompletionSources, 'spec'>> = {
  name: 'planes',
  component: 'components',
  version: 'versions',
  'host-context': 'contexts',
  'to-context': 'contexts',
  namespace: 'namespaces',
  'to-namespace': 'namespaces',
  key: 'settings',
  id: 'snapshots',
  from: 'snapshots',
}

/** Commands whose NAME is one that does not exist yet. */
const NEW_NAME = ['create', 'run']

/** What can replace the last one, possibly empty, of all words after the program's name. */
export function completionsFor(
  words: readonly string[],
  commands: readonly CommandInfo[],
  sources: CompletionSources,
): Completions {
  const before = words.slice(0, -1)
  const current = words.at(-1) ?? ''
  if (before.includes('--')) {
    return { candidates: [], directive: 0 }
  }
  const leading = before.slice(0, before.findIndex((word) => word.startsWith('-')) >>> 0)
  const match = matchWords(leading, commands)
  if (match === undefined) {
    const flags = before.length === 0 && current.startsWith('-') ? ['--help', '--version'] : []
    return matching([...flags, ...nextWords(leading, commands)], current)
  }
  const context = { command: match.command, commands, sources }
  return completeArguments(before.slice(match.length), current, context)
}

interface Context {
  command: CommandInfo
  commands: readonly CommandInfo[]
  sources: CompletionSources
}

function completeArguments(
  before: readonly string[],
  current: string,
  context: Context,
): Completions {
  const flags = {
    ...context.command.flags,
    help: { type: 'boolean', char: 'h', summary: 'Shows help.' },
  } as const
  const open = before.length === 0 ? undefined : optionOf(before.at(-1) ?? '', flags)
  if (open !== undefined) {
    return valuesOf(open, current, context)
  }
  const [, name, value] = /^(--[^=]+)=(.*)$/s.exec(current) ?? []
  if (name !== undefined) {
    const flag = optionOf(name, flags)
    const found = flag === undefined ? NOTHING : valuesOf(flag, value ?? '', context)
    return { ...found, candidates: found.candidates.map((one) => `${name}=${one}`) }
  }
  if (current.startsWith('-')) {
    return matching(flagWords(before, current, flags), current)
  }
  return completePositional(positionals(before, flags), current, context)
}

function completePositional(
  given: readonly string[],
  current: string,
  context: Context,
): Completions {
  const { command, commands, sources } = context
  const args = Object.entries(command.args ?? {})
  const [name, arg] =
    args[given.length] ?? args.findLast(([, { multiple }]) => multiple === true) ?? []
  if (name === undefined) {
    return NOTHING
  }
  if (command.id === 'help') {
    return matching(nextWords(given, commands), current)
  }
  if (command.id === 'config:set' && name === 'value') {
    return matching(settingValues(given[0], commands, sources), current)
  }
  if (command.id === 'explain') {
    return matching(specPaths(sources.spec(), current), current)
  }
  if (name === 'field') {
    return pairsOf(current, sources)
  }
  if (arg?.options !== undefined) {
    return matching(arg.options, current)
  }
  const source = NEW_NAME.includes(command.id) ? undefined : VALUES[name]
  const values = source === undefined ? [] : sources[source]()
  return matching(
    values.filter((value) => !given.includes(value)),
    current,
  )
}

/** The words that can come next in the name of a command, with summaries. */
function nextWords(leading: readonly string[], commands: readonly CommandInfo[]): string[] {
  const aliases = new Set(commands.flatMap((command) => command.aliases ?? []))
  const words = new Map<string, string>()
  for (const { id, summary = '', hidden } of commands) {
    const parts = id.split(':')
    const isBelow = leading.every((word, index) => parts[index] === word)
    const next = parts[leading.length]
    if (hidden !== true && !aliases.has(id) && isBelow && next !== undefined) {
      const below = parts[leading.length + 1]
      const others = words.has(next) ? `${words.get(next)}, ` : ''
      words.set(next, below === undefined ? summary : `${others}${below}`)
    }
  }
  return [...words].map(([word, summary]) => `${word}\t${summary}`)
}

function flagWords(
  before: readonly string[],
  current: string,
  flags: Readonly<Record<string, FlagInfo>>,
): string[] {
  return Object.entries(flags)
    .filter(([name, { hidden, multiple }]) => {
      const isGiven = before.some((word) => word === `--${name}` || word.startsWith(`--${name}=`))
      return hidden !== true && (multiple === true || !isGiven)
    })
    .flatMap(([name, { allowNo, summary, description = '' }]) => {
      const text = summary ?? description
      const negated =
        allowNo === true && current.startsWith('--no') ? [`--no-${name}\t${text}`] : []
      return [`--${name}\t${text}`, ...negated]
    })
}

function valuesOf(
  [name, flag]: readonly [string, FlagInfo],
  current: string,
  { sources }: Context,
): Completions {
  const kind = [flag.helpValue ?? ''].flat().join(' ')
  if (kind === 'PATH=VALUE') {
    return pairsOf(current, sources)
  }
  if (/^(FOLDER|DIRECTORY)$/.test(kind)) {
    return { candidates: [], directive: 16 }
  }
  if (/^(FILE|PATH|PLACE|SPEC)$/.test(kind)) {
    return { candidates: [], directive: 0 }
  }
  // The only flag of that name is for a new plane.
  const source = name === 'name' ? undefined : VALUES[name]
  if (source === 'snapshots') {
    return { ...matching(sources.snapshots(), current), directive: 0 }
  }
  return matching(flag.options ?? (source === undefined ? [] : sources[source]()), current)
}

/** What `config set KEY` takes: the same as the flag of that name. */
function settingValues(
  key: string | undefined,
  commands: readonly CommandInfo[],
  sources: CompletionSources,
): readonly string[] {
  const flag = commands.find(({ id }) => id === 'create')?.flags?.[key ?? '']
  if (key === 'offline' || flag?.type === 'boolean') {
    return ['true', 'false']
  }
  return flag?.options ?? (key === 'version' ? sources.versions() : [])
}

/** The words that are neither flags nor their values. */
function positionals(
  before: readonly string[],
  flags: Readonly<Record<string, FlagInfo>>,
): string[] {
  return before.filter((word, index) => {
    const isValue = index > 0 && optionOf(before[index - 1] ?? '', flags) !== undefined
    return !word.startsWith('-') && !isValue
  })
}

/** The flag that a word names and that takes the next word as its value. */
function optionOf(
  word: string,
  flags: Readonly<Record<string, FlagInfo>>,
): readonly [string, FlagInfo] | undefined {
  return Object.entries(flags).find(
    ([name, { aliases = [], char, type }]) =>
      type === 'option' &&
      ([name, ...aliases].some((one) => word === `--${one}`) || word === `-${char}`),
  )
}

/** Behind `apiServer.` and `apiServer.goGc=` comes more, and behind a value nothing. */
function pairsOf(current: string, sources: CompletionSources): Completions {
  const pairs = specPairs(sources.spec(), current, () => sources.versions())
  const found = matching(pairs, current)
  return current.includes('=') ? found : { ...found, directive: 6 }
}

function matching(candidates: readonly string[], current: string): Completions {
  return { candidates: candidates.filter((one) => one.startsWith(current)), directive: 4 }
}
