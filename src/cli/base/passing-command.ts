import { EXIT_CODES, VplaneError } from '../../shared/errors.ts'
import { BaseCommand } from './base-command.ts'

/** Under `run` and `connect --`, what goes wrong before the command starts has a status that no command has. */
const OWN_FAILURE = 125

/** A command of vplane that runs a command of the user's and ends with that one's exit code. */
export abstract class WrapperCommand extends BaseCommand {
  protected override exitCodeOf(error: VplaneError): number {
    const isCommandError =
      error.code === 'COMMAND_NOT_FOUND' || error.code === 'COMMAND_NOT_EXECUTABLE'
    if (this.passedCommand === undefined || isCommandError) {
      return super.exitCodeOf(error)
    }
    return error.exitCode === EXIT_CODES.ABORTED ? super.exitCodeOf(error) : OWN_FAILURE
  }

  /**
   * The user's command.
   *
   * @throws {VplaneError} `USAGE` when there are no words after `--`.
   */
  protected requireCommand(): string[] {
    if (this.passedCommand === undefined || this.passedCommand.length === 0) {
      throw new VplaneError('USAGE', 'there is no command after --', {
        hints: [`${this.config.bin} ${this.id ?? ''} … -- kubectl get namespaces`],
      })
    }
    return this.passedCommand
  }
}
