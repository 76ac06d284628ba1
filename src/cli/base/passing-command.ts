import { EXIT_CODES, VplaneError } from '../../shared/errors.ts'
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
