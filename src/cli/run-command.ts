import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Config } from '@oclif/core/config'
import { isSource, packageRoot } from '../shared/package-root.ts'
import { loadCommands } from './catalog/command-catalog.ts'
import { commandAfterDashes } from './catalog/command-words.ts'
import { endProcess } from './processes/end-process.ts'
import { findCommand } from './catalog/find-command.ts'
import { printError, toErrorJson } from './errors/present-error.ts'
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
  const decided = statusIn(error)
  if (error instanceof Error && 'code' in error && error.code === 'EEXIT') {
    // The command exits with its own status, such as that of the user's command.
    return decided ?? 1
  }
  const failure = toFailure(error, {
    usage: `${bin} COMMAND`,
    help: `${bin} help`,
    isInterrupted: false,
  })
  const status = decided ?? failure.exitCode
  if (commandAfterDashes(argv).own.includes('--json')) {
    process.stdout.write(`${JSON.stringify(toErrorJson(failure, status), undefined, 2)}\n`)
  } else {
    printError(failure)
  }
  return status
}

/** The exit status that a command put on its error, where the framework keeps it. */
function statusIn(error: unknown): number | undefined {
  if (error instanceof Error && 'oclif' in error) {
    const { oclif } = error
    if (typeof oclif === 'object' && oclif !== null && 'exit' in oclif) {
      return typeof oclif.exit === 'number' ? oclif.exit : undefined
    }
  }
  return undefined
}
