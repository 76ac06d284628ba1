import { type CommandGroup, type CommandInfo, callOf } from '../catalog/command-info.ts'
import { visibleCommands } from '../catalog/find-command.ts'
import { wrap } from '../terminal/wrap.ts'
import { HELP_WIDTH, type HelpStyle, section, twoColumns } from './help-layout.ts'

const ABOUT = 'vplane gives you a real, private Kubernetes control plane in seconds.'

const GROUPS: ReadonlyArray<readonly [CommandGroup, string]> = [
  ['start', 'Getting started'],
  ['planes', 'Control planes'],
  ['day two', 'Day two'],
  ['tools', 'Tools'],
]

/** Groups of commands that share their first word; root help has one line for each. */
const TOPICS: Readonly<Record<string, string>> = {
  binaries: 'Manages the cache of Kubernetes binaries.',
  certs: 'Checks certificates, and rotates CAs and keys.',
  config: 'Reads and changes the defaults of this machine.',
  keeper: "Installs, shows and removes the service of this machine's keeper.",
  operator: 'Installs, shows and removes the operator for declared planes.',
  snapshot: 'Takes, lists and deletes snapshots.',
}

/** The help on everything, on one screen: what vplane is, and all commands by purpose. */
export function renderRootHelp(
  commands: readonly CommandInfo[],
  { bin, width = HELP_WIDTH, color = false }: HelpStyle,
): string {
  const visible = visibleCommands(commands).filter(({ id }) => id !== 'help')
  const groups = GROUPS.map(([group, title]) => {
    const members = visible.filter((command) => (command.group ?? 'tools') === group)
    return [title, [...new Map(members.map(toRow))]] as const
  })
  const left = Math.max(0, ...groups.flatMap(([, rows]) => rows.map(([term]) => term.length)))
  const more = `${bin} help COMMAND shows more; ${bin} help exit-codes lists exit codes.`
  const blocks = [
    [...wrap(ABOUT, width), `Usage: ${bin} COMMAND [flags]`].join('\n'),
    ...groups.flatMap(([title, rows]) =>
      section(title, twoColumns(rows, { width, minLeft: left }), color),
    ),
    wrap(more, width).join('\n'),
  ]
  return `${blocks.join('\n\n')}\n`
}

function toRow({ id, summary = '' }: CommandInfo): [string, string] {
  const [first = ''] = id.split(':')
  return first === id ? [id, summary] : [first, TOPICS[first] ?? '']
}

/** The help on a group of commands that share their first word, such as `config`. */
export function renderTopicHelp(
  topic: string,
  commands: readonly CommandInfo[],
  { bin, width = HELP_WIDTH, color = false }: HelpStyle,
): string {
  const members = visibleCommands(commands).filter(({ id }) => id.startsWith(`${topic}:`))
  const rows = members.map(
    (command) => [callOf(command, '').trim(), command.summary ?? ''] as const,
  )
  const blocks = [
    ...(topic in TOPICS ? [wrap(TOPICS[topic] ?? '', width).join('\n')] : []),
    ...section('Usage', [`  ${bin} ${topic} COMMAND [flags]`], color),
    ...section('Commands', twoColumns(rows, { width, maxLeft: 36 }), color),
  ]
  return `${blocks.join('\n\n')}\n`
}
