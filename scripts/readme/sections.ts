import { renderCommandHelp } from '../../src/cli/help/command-help.ts'
import { type CommandInfo, callOf } from '../../src/cli/catalog/command-info.ts'
import { visibleCommands } from '../../src/cli/catalog/find-command.ts'
import type { ExitCode } from '../../src/cli/help/exit-codes-help.ts'

const BIN = 'vplane'

/**
 * Replaces what stands between `<!-- name -->` and `<!-- name stop -->` for each name given.
 *
 * @throws {Error} when a text lacks one of the markers.
 */
export function replaceSections(text: string, sections: Readonly<Record<string, string>>): string {
  return Object.entries(sections).reduce((result, [name, content]) => {
    const [start, stop] = [`<!-- ${name} -->`, `<!-- ${name} stop -->`]
    const from = result.indexOf(start)
    const to = result.indexOf(stop, from)
    if (from < 0 || to < 0) {
      throw new Error(`there is no "${from < 0 ? start : stop}" to fill`)
    }
    return `${result.slice(0, from + start.length)}\n\n${content.trim()}\n\n${result.slice(to)}`
  }, text)
}

/** A table of all commands; each links to its part of `commandReference`, which is on the same page. */
export function commandTable(commands: readonly CommandInfo[]): string {
  const rows = visibleCommands(commands).map((command) => {
    const call = callOf(command, BIN)
    const place = `#${call.toLowerCase().replaceAll(' ', '-')}`
    return `| [\`${call}\`](${place}) | ${cell(command.summary ?? '')} |`
  })
  return ['| Command | What it does |', '| --- | --- |', ...rows].join('\n')
}

/** The help of each command under a heading of its own, by name. */
export function commandReference(commands: readonly CommandInfo[]): string {
  const parts = visibleCommands(commands).map((command) => {
    const help = renderCommandHelp(command, { bin: BIN }).trim()
    return `## ${callOf(command, BIN)}\n\n\`\`\`text\n${help}\n\`\`\``
  })
  return parts.join('\n\n')
}

/** A table of all exit codes, with what `--json` shows as `code`. */
export function exitCodeTable(exitCodes: readonly ExitCode[]): string {
  const rows = exitCodes.map(({ status, meaning, codes }) => {
    const names = codes.map((code) => `\`${code}\``).join(', ')
    return `| ${status} | ${cell(meaning)} | ${names} |`
  })
  return ['| Exit code | What it means | `code` in JSON |', '| --- | --- | --- |', ...rows].join(
    '\n',
  )
}

function cell(text: string): string {
  return text.replaceAll('|', String.raw`\|`).replaceAll(/\s+/g, ' ')
}
