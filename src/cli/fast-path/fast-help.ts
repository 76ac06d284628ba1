import { loadCommands } from '../catalog/command-catalog.ts'
import { asksForHelp, findCommand } from '../catalog/find-command.ts'
import { printHelp } from '../help/help.ts'

/** `--help` without the framework. False when nothing was printed, for other words or an error: the framework takes over. */
export async function fastHelp(argv: readonly string[], bin: string): Promise<boolean> {
  if (!asksForHelp(argv)) {
    return false
  }
  try {
    const commands = await loadCommands()
    const found = findCommand(argv, commands, bin)
    if (found.kind === 'help') {
      printHelp(found.about, commands, bin)
    }
    return found.kind === 'help'
  } catch {
    // The framework gets the same error, and reports it.
    return false
  }
}
