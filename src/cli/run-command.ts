import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Config } from '@oclif/core/config'
import { fieldAt } from '../shared/json-fields.ts'
import { isSource, packageRoot } from '../shared/package-root.ts'
import { loadCommands } from './catalog/command-catalog.ts'
import { commandAfterDashes } from './catalog/command-words.ts'
import { endProcess } from './processes/end-process.ts'
import { findCommand } from './catalog/find-command.ts'
import { jsonText, printError, toErrorJson } from './errors/present-error.ts'
import { toFailure } from './errors/to-failure.ts'

/** Runs the command that the words name, prints its error, and exits with its status. */
export async function runCommand(argv: readonly string[], bin: string): Promise<void> {
  // What is thrown outside of the command's own promise is shown like everything else.
  process.once('uncaughtException', (error) => process.exit(present(error, argv, bin)))
  const status = await dispatch(argv, bin).then(
    // A result that needs attention sets the exit code, and is no failure.
    () => Number(process.exitCode ?? 0),
    (error: unknown) => present(error, argv, bin),
  )
  await endProcess(status)
}

async function dispatch(argv: readonly string[], bin: string): Promise<void> {
  const commands = await loadCommands()
  const found = findCommand(argv, commands, bin)
  if (found.kind === 'help') {
    const { printHelp } = await import('./help/help.ts')
    printHelp(found.about, commands, bin)
    return
  }
  // Together: both begin with the same large module.
  const [{ createConfig }, command] = await Promise.all([
    import('./catalog/command-config.ts'),
    loadCommand(found.id),
  ])
  await command.start(found.argv, createConfig(bin))
}

interface RunnableCommand {
  id: string
  start(argv: string[], config: Config): Promise<unknown>
}

/** The class of a command, found by its place: `config:get` is commands/config/get. */
async function loadCommand(id: string): Promise<RunnableCommand> {
  const [folder, extension] = isSource() ? ['src', 'ts'] : ['dist', 'js']
  const file = `${join(packageRoot(), folder, 'commands', ...id.split(':'))}.${extension}`
  const module: { default: RunnableCommand } = await import(pathToFileURL(file).href)
  module.default.id = id
  return module.default
}

/** Shows an error and returns the exit status it stands for. */
function present(error: unknown, argv: readonly string[], bin: string): number {
  const { exit, text } = decidedIn(error)
  if (error instanceof Error && 'code' in error && error.code === 'EEXIT') {
    // The command exits with its own status, such as that of the user's command.
    return exit ?? 1
  }
  const failure = toFailure(error, {
    usage: `${bin} COMMAND`,
    help: `${bin} help`,
    isInterrupted: false,
  })
  const status = exit ?? failure.exitCode
  // Before a command has read its words, these tell.
  const isJson = text !== undefined || commandAfterDashes(argv).own.includes('--json')
  if (isJson) {
    process.stdout.write(text ?? jsonText(toErrorJson(failure, status)))
  } else {
    printError(failure)
  }
  return status
}

/** What a command put on its error, where the framework keeps it: the exit status, and the text for scripts. */
function decidedIn(error: unknown): { exit?: number; text?: string } {
  const oclif = fieldAt(error, 'oclif')
  const [exit, text] = [fieldAt(oclif, 'exit'), fieldAt(oclif, 'text')]
  return {
    ...(typeof exit === 'number' ? { exit } : {}),
    ...(typeof text === 'string' ? { text } : {}),
  }
}
