import { type Command, Parser } from '@oclif/core'
import { beforeAll, describe, expect, test } from 'vitest'
import { loadFramework } from '../../src/cli/catalog/framework.ts'
import { messageOf } from '../../src/shared/errors.ts'
import { readPages } from './read-pages.ts'
import { vplaneCalls } from './vplane-calls.ts'

const pages = readPages()
let commands: Map<string, Command.Loadable>

beforeAll(async () => {
  const config = await loadFramework()
  commands = new Map(config.commands.map((command) => [command.id.replaceAll(':', ' '), command]))
  // On a busy machine it takes long to load every command.
}, 60_000)

test.for(pages.filter(({ blocks }) => blocks.length > 0))(
  'every command in the examples of $path is one that vplane takes',
  async ({ blocks }) => {
    const calls = blocks
      .filter(({ language }) => ['sh', 'yaml'].includes(language))
      .flatMap(({ code }) => vplaneCalls(code))

    const refused = await Promise.all(calls.map(refusalOf))

    expect(refused.filter((refusal) => refusal !== undefined)).toEqual([])
  },
)

test.for(pages.filter(({ path }) => /^(README|docs\/)/.test(path)))(
  'every command and flag that the text of $path names exists',
  ({ prose }) => {
    expect(unknownCalls(prose.replaceAll(/^#.*$/gm, ''))).toEqual([])
  },
)

test('every command and flag that a note for the next release names exists', () => {
  const notes = readPages(['.changeset/*.md']).filter(({ path }) => !path.endsWith('/README.md'))

  const unknown = notes.flatMap(({ path, text }) =>
    unknownCalls(text).map((call) => `${path}: ${call}`),
  )

  expect(unknown).toEqual([])
})

describe('the calls of vplane in a text', () => {
  test.for([
    ['vplane list  # all', [['list']]],
    [
      'npx vplane create a && npx vplane delete "a b"',
      [
        ['create', 'a'],
        ['delete', 'a b'],
      ],
    ],
    ['EDITOR="code --wait" vplane edit dev', [['edit', 'dev']]],
    ['vplane render dev | kubectl apply -f -', [['render', 'dev']]],
    ['vplane kubeconfig dev > dev.yaml', [['kubeconfig', 'dev']]],
    ['source <(vplane completion bash)', [['completion', 'bash']]],
    ['- run: npx vplane run -- make test', [['run', '--', 'make', 'test']]],
    ['npm install --global vplane\nkubectl get pods', []],
  ] as const)('of "%s"', ([text, expected]) => {
    expect(vplaneCalls(text)).toEqual(expected)
  })
})

/** The calls in backticks whose command, or one of whose flags, does not exist. */
function unknownCalls(text: string): string[] {
  return [...text.matchAll(/`((?:npx )?vplane [^`]+)`/g)]
    .flatMap(([, call = '']) => vplaneCalls(call))
    .filter((words) => !isKnown(words))
    .map((words) => words.join(' '))
}

/** Why vplane would not take a call; undefined when it would. */
async function refusalOf(words: readonly string[]): Promise<string | undefined> {
  const [found, rest] = commandOf(words)
  if (found === undefined) {
    return `there is no command "${words.join(' ')}"`
  }
  const type = await found.load()
  const end = rest.includes('--') ? rest.indexOf('--') : rest.length
  try {
    await Parser.parse(rest.slice(0, end), {
      args: type.args,
      flags: { ...type.baseFlags, ...type.flags },
      strict: type.strict,
    })
  } catch (error) {
    return `${words.join(' ')}: ${messageOf(error)}`
  }
  const takesCommand = 'passedCommand' in type
  return end < rest.length && !takesCommand ? `${words.join(' ')}: takes no command` : undefined
}

/** Flags of vplane without a command. */
const GLOBAL_FLAGS = new Set(['--help', '--json', '--version'])

/** Whether a call is only what several commands start with: `vplane certs`. */
function isTopic(words: readonly string[]): boolean {
  return [...commands.keys()].some((name) => name.startsWith(`${words.join(' ')} `))
}

/** Whether the command of a call exists, which may lack its arguments, and all of its flags. */
function isKnown(words: readonly string[]): boolean {
  const [found] = commandOf(words)
  const flags = words.flatMap((word) => /^--(?:no-)?([a-z-]+)/.exec(word)?.[1] ?? [])
  return found === undefined
    ? words.every((word) => GLOBAL_FLAGS.has(word)) || isTopic(words)
    : flags.every((name) => name === 'help' || found.flags[name] !== undefined)
}

/** The command that a call starts with, of up to two words, and the words after it. */
function commandOf(words: readonly string[]): [Command.Loadable | undefined, string[]] {
  const length = commands.has(words.slice(0, 2).join(' ')) ? 2 : 1
  return [commands.get(words.slice(0, length).join(' ')), words.slice(length)]
}
