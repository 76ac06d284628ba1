import { messageOf, VplaneError } from '../../shared/errors.ts'
import { parserMessage } from './parser-message.ts'

export interface FailureContext {
  /** How the command is called: `vplane create NAME [flags]`. */
  usage: string
  /** How to read its help: `vplane create --help`. */
  help: string
  isInterrupted: boolean
}

/** System errors whose cause is the machine, not vplane, in words. */
const SYSTEM_ERRORS: Record<string, string> = {
  EACCES: 'permission denied',
  EPERM: 'not permitted',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space left on the device',
  EDQUOT: 'the disk quota is used up',
  EMFILE: 'too many open files',
  ENFILE: 'too many open files on this machine',
}

/** Converts what a command threw to the error that is shown; a `VplaneError` stays as it is. */
export function toFailure(error: unknown, context: FailureContext): VplaneError {
  if (error instanceof VplaneError) {
    return withoutParserWords(error, context)
  }
  if (nameOf(error) === 'ExitPromptError' || nameOf(error) === 'AbortPromptError') {
    return new VplaneError('ABORTED', 'cancelled', { cause: error })
  }
  if (context.isInterrupted && nameOf(error) === 'AbortError') {
    return new VplaneError('ABORTED', 'interrupted', { cause: error })
  }
  return isParserError(error) ? usageError(error, context) : (systemError(error) ?? bugError(error))
}

/** The parser rewrites the message of an error that a flag's value caused, in its own layout. */
function withoutParserWords(error: VplaneError, context: FailureContext): VplaneError {
  const message = parserMessage(error)
  // An error that was shown before carries its exit status as the parser's do; its own words stay.
  return message === error.message || !error.message.includes('See more help with --help')
    ? error
    : new VplaneError(error.code, message, {
        hints: [...error.hints, context.help],
        cause: error.cause,
      })
}

function isParserError(error: unknown): error is Error {
  return error instanceof Error && 'oclif' in error
}

function usageError(error: Error, context: FailureContext): VplaneError {
  return new VplaneError('USAGE', parserMessage(error), {
    hints: [`usage: ${context.usage}`, context.help],
    cause: error,
  })
}

function systemError(error: unknown): VplaneError | undefined {
  if (!(error instanceof Error) || !('code' in error)) {
    return undefined
  }
  const words = SYSTEM_ERRORS[String(error.code)]
  const path = 'path' in error && typeof error.path === 'string' ? `: "${error.path}"` : ''
  return words === undefined
    ? undefined
    : new VplaneError('FAILED', `${words}${path}`, { cause: error })
}

function bugError(error: unknown): VplaneError {
  return new VplaneError('BUG', `this is a bug in vplane: ${messageOf(error)}`, {
    hints: ['run it again with VPLANE_DEBUG=1 and report the output'],
    cause: error,
  })
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : ''
}
