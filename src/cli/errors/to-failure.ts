import { stripVTControlCharacters } from 'node:util'
import { isSystemError, messageOf, VplaneError } from '../../shared/errors.ts'

export interface FailureContext {
  /** How the command is called: `vplane create NAME [flags]`. */
  usage: string
  /** How to read its help: `vplane create --help`. */
  help: string
  isInterrupted: boolean
  /** The call of the command, if the same call continues it after an interruption. */
  again?: string | undefined
}

/** Converts what a command threw to the error that is shown; a `VplaneError` stays as it is. */
export function toFailure(error: unknown, context: FailureContext): VplaneError {
  const failure = converted(error, context)
  return failure.code === 'ABORTED' && context.isInterrupted && context.again !== undefined
    ? new VplaneError('ABORTED', failure.message, {
        hints: [`to continue: ${context.again}`, ...failure.hints],
        cause: failure,
      })
    : failure
}

function converted(error: unknown, context: FailureContext): VplaneError {
  if (error instanceof VplaneError) {
    return withoutParserWords(error, context)
  }
  if (nameOf(error) === 'ExitPromptError') {
    return new VplaneError('ABORTED', 'cancelled', { cause: error })
  }
  if (context.isInterrupted && ['AbortError', 'AbortPromptError'].includes(nameOf(error))) {
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

/** A missing file is not the machine's fault: vplane should have checked it. */
function systemError(error: unknown): VplaneError | undefined {
  return isSystemError(error) && error.code !== 'ENOENT'
    ? new VplaneError('FAILED', messageOf(error), { cause: error })
    : undefined
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

/** The message of an error of @oclif/core's parser, or one that passed through it, in the words of vplane's own. */
function parserMessage(error: Error): string {
  const text = stripVTControlCharacters(error.message)
  const [, flag, reason = ''] =
    /^Parsing (--\S+) \n\t(.*)\nSee more help with --help$/s.exec(text) ?? []
  if (flag !== undefined) {
    return `${flag}: ${lowerFirst(reason)}`
  }
  return text.endsWith('See more help with --help') || 'oclif' in error
    ? sentenceOf(text.replace('\nSee more help with --help', ''), error)
    : error.message
}

function sentenceOf(text: string, error: Error): string {
  const [, what, list] = /^(Nonexistent flag|Unexpected argument)s?: (.*)$/s.exec(text) ?? []
  if (list !== undefined) {
    const words = list.split(', ').map((word) => `"${word}"`)
    const noun = what === 'Nonexistent flag' ? 'unknown flag' : 'unexpected argument'
    return `${noun}${words.length > 1 ? 's' : ''} ${words.join(', ')}`
  }
  if (text.startsWith('Missing ') && 'args' in error && Array.isArray(error.args)) {
    const names = error.args.map(({ name }: { name: string }) => name.toUpperCase())
    return `${names.join(' and ')} ${names.length > 1 ? 'are' : 'is'} missing`
  }
  const [, option, value, allowed] =
    /^Expected (?:(--\S+?)=)?(.*) to be one of: (.*)$/s.exec(text) ?? []
  if (allowed !== undefined) {
    return `${option === undefined ? '' : `${option}: `}"${value}" is not one of ${allowed}`
  }
  const [, reasons = text] = /^The following errors? occurred:\n\s*(.*)$/s.exec(text) ?? []
  return lowerFirst(reasons.replaceAll(/\n\s*/g, '; ').replace(/^Flag (?=--)/, ''))
}

function lowerFirst(text: string): string {
  return text.replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase())
}
