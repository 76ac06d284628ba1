import { existsSync } from 'node:fs'
import { EXIT_CODES, VplaneError } from '../../shared/errors.ts'
import { shellWord } from '../../shared/text/shell-word.ts'
import { commandNotFound, isOnPath } from '../processes/is-on-path.ts'
import { BaseCommand } from './base-command.ts'

/** The status of failures before the user's command starts; it has no other meaning there. */
const OWN_FAILURE = 125

/** A command of vplane that runs the user's own command, and exits with its exit code. */
export abstract class WrapperCommand extends BaseCommand {
  protected override exitCodeOf(error: VplaneError): number {
    const isCommandError =
      error.code === 'COMMAND_NOT_FOUND' || error.code === 'COMMAND_NOT_EXECUTABLE'
    const isOptional = this.constructor.passedCommand?.startsWith('[') === true
    if (isCommandError || (isOptional && this.passedCommand === undefined)) {
      return super.exitCodeOf(error)
    }
    return error.exitCode === EXIT_CODES.ABORTED ? super.exitCodeOf(error) : OWN_FAILURE
  }

  /** @throws {VplaneError} `USAGE` without words after `--`, `COMMAND_NOT_FOUND` and `COMMAND_NOT_EXECUTABLE`. */
  protected requireCommand(): string[] {
    if (this.passedCommand === undefined || this.passedCommand.length === 0) {
      throw new VplaneError('USAGE', 'there is no command after --', {
        hints: [`${this.config.bin} ${this.id ?? ''} … -- kubectl get namespaces`],
      })
    }
    const [file = ''] = this.passedCommand
    // vplane has its own kubectl for machines without one. Windows also runs files with other endings.
    if (file !== 'kubectl' && process.platform !== 'win32' && !isOnPath(file, this.environment)) {
      throw existsSync(file)
        ? new VplaneError('COMMAND_NOT_EXECUTABLE', `cannot run "${file}": it is not executable`)
        : commandNotFound(file)
    }
    return this.passedCommand
  }

  protected override async catch(error: Error & { code?: unknown }): Promise<never> {
    const dashed = 'oclif' in error && this.passedCommand === undefined && this.#withDashes()
    const shown = dashed
      ? new VplaneError('USAGE', 'the command has to follow --', { hints: [dashed] })
      : error
    // oxlint-disable-next-line promise/no-promise-in-callback -- the framework's method, not a promise's
    return await super.catch(shown)
  }

  /** `connect dev kubectl get ns` with the `--` that it lacks; undefined when it names no command. */
  #withDashes(): string | undefined {
    const words = this.argv
    const at = words.findIndex(
      (word, index) =>
        index >= Object.keys(this.constructor.args).length &&
        (word === 'kubectl' || isOnPath(word, this.environment)),
    )
    const call = [...words.slice(0, at), '--', ...words.slice(at)].map(shellWord).join(' ')
    return at === -1 ? undefined : `${this.config.bin} ${this.id ?? ''} ${call}`
  }
}
