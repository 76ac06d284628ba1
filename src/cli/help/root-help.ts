import { type CommandGroup, type CommandInfo, callOf } from '../catalog/command-info.ts'
import { visibleCommands } from '../catalog/find-command.ts'
import { HELP_WIDTH, type HelpStyle, section, twoColumns, wrap } from './help-layout.ts'

const ABOUT = 'vplane gives you a real, private Kubernetes control plane in seconds.'

const GROUPS: ReadonlyArray<readonly [CommandGroup, string]> = [
  ['start', 'Getting started'],
  ['use', 'Using planes'],
  ['planes', 'Managing planes'],
  ['day two', 'Day two'],
  ['maintenance', 'Maintenance'],
  ['other', 'Other commands'],
]

/** The help on everything: what vplane is, how to begin, and all commands by purpose. */
export function renderRootHelp(
  commands: readonly CommandInfo[],
  { bin, width = HELP_WIDTH, color = false }: HelpStyle,
): string {
  const visible = visibleCommands(commands)
  const groups = GROUPS.map(([group, title]) => {
    const members = visible.filter((command) => (command.group ?? 'other') === group)
    return [
      title,
      members.map((command) => [callOf(command, '').trim(), command.summary ?? ''] as const),
    ] as const
  })
  const widest = Math.max(0, ...groups.flatMap(([, rows]) => rows.map(([term]) => term.length)))
  const pad = (rows: ReadonlyArray<readonly [string, string]>) =>
    rows.map(([term, text]) => [term.padEnd(widest), text] as const)
  const blocks = [
    wrap(ABOUT, width).join('\n'),
    ...section('Usage', [`  ${bin} COMMAND [flags]`], color),
    ...groups.flatMap(([title, rows]) => section(title, twoColumns(pad(rows), { width }), color)),
    ...section(
      'Try it',
      [`  $ ${bin} create dev --connect`, '  $ kubectl get namespaces', `  $ ${bin} delete dev`],
      color,
    ),
    wrap(
      `${bin} help COMMAND tells more about a command, ${bin} help exit-codes what exit codes mean.`,
      width,
    ).join('\n'),
  ]
  return `${blocks.join('\n\n')}\n`
}

/** The help on a group of commands that share their first word, such as `config`. */
export function renderTopicHelp(
  topic: string,
  commands: readonly CommandInfo[],
  { bin, width = HELP_WIDTH, color = false }: HelpStyle,
): string {
  const members = visibleCommands(commands).filter(({ id }) => id.startsWith(`${topic}:`))
  const rows = members.map((command) => [callOf(command, bin), command.summary ?? ''] as const)
  const blocks = [
    ...section('Usage', [`  ${bin} ${topic} COMMAND [flags]`], color),
    ...section('Commands', twoColumns(rows, { width }), color),
  ]
  return `${blocks.join('\n\n')}\n`
}
