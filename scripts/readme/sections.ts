import { renderCommandHelp } from '../../src/cli/command-help.ts'
import { type CommandInfo, callOf } from '../../src/cli/command-info.ts'
import type { ExitCode } from '../../src/cli/exit-codes-help.ts'

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

/** A table of all commands, and the help of each below it, folded. */
export function commandReference(commands: readonly CommandInfo[], bin = 'vplane'): string {
  const aliases = new Set(commands.flatMap((command) => command.aliases ?? []))
  const shown = commands
    .filter(({ id, hidden }) => hidden !== true && !aliases.has(id))
    .toSorted((one, other) => one.id.localeCompare(other.id))
  const rows = shown.map(
    (command) => `| \`${callOf(command, bin)}\` | ${cell(command.summary ?? '')} |`,
  )
  const details = shown.map((command) => {
    const help = renderCommandHelp(command, { bin }).trim()
    const summary = `<summary><code>${callOf(command, bin)}</code></summary>`
    return `<details>\n${summary}\n\n\`\`\`text\n${help}\n\`\`\`\n\n</details>`
  })
  return ['| Command | What it does |\n| --- | --- |', rows.join('\n')]
    .join('\n')
    .concat('\n\n', details.join('\n\n'))
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
