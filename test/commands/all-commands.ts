import type { CommandInfo } from '../../src/cli/catalog/command-info.ts'
import { loadCommands } from '../../src/cli/catalog/command-catalog.ts'

/** Every command of vplane once, by id; an alias is no command of its own. */
export async function allCommands(): Promise<CommandInfo[]> {
  const commands = await loadCommands()
  const aliases = new Set(commands.flatMap((command) => command.aliases ?? []))
  return commands
    .filter(({ id }) => !aliases.has(id))
    .toSorted((one, other) => one.id.localeCompare(other.id))
}
