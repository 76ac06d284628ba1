import { mkdir } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { toFailure } from '../../../src/cli/errors/to-failure.ts'
import { VplaneError } from '../../../src/shared/errors.ts'

const HELP = { usage: 'vplane create NAME [flags]', help: 'vplane create --help' }
const CONTEXT = { ...HELP, isInterrupted: false }

test('leaves an error that users are meant to see as it is', () => {
  const error = new VplaneError('CONFLICT', 'taken', { hints: ['wait'] })

  expect(toFailure(error, CONTEXT)).toBe(error)
})

test('says how to continue a command that was interrupted, and none that was declined', () => {
  const context = { ...CONTEXT, isInterrupted: true, again: 'vplane create dev' }
  const error = new VplaneError('ABORTED', 'interrupted', { hints: ['to remove it: …'] })

  expect(toFailure(error, context)).toMatchObject({
    code: 'ABORTED',
    message: 'interrupted',
    hints: ['to continue: vplane create dev', 'to remove it: …'],
  })
  expect(toFailure(error, { ...context, isInterrupted: false })).toBe(error)
  expect(toFailure(error, { ...context, again: undefined })).toBe(error)
})

test('names the flag whose value was refused, without the layout of the parser', () => {
  const error = new VplaneError('USAGE', '"5" is not a duration', { hints: ['5s'] })
  error.message = `Parsing --timeout \n\t${error.message}\nSee more help with --help`

  expect(toFailure(error, CONTEXT)).toMatchObject({
    code: 'USAGE',
    message: '--timeout: "5" is not a duration',
    hints: ['5s', 'vplane create --help'],
  })
})

/** As @oclif/core words its errors. */
function parserError(message: string): Error {
  return Object.assign(new Error(`${message}\nSee more help with --help`), { oclif: { exit: 2 } })
}

test.for([
  ['Nonexistent flag: --bogus', 'unknown flag "--bogus"'],
  ['Nonexistent flags: --a, --b', 'unknown flags "--a", "--b"'],
  ['Unexpected argument: x', 'unexpected argument "x"'],
  [
    'Expected --driver=x to be one of: kubernetes, local',
    '--driver: "x" is not one of kubernetes, local',
  ],
  ['Expected csh to be one of: bash, zsh', '"csh" is not one of bash, zsh'],
  ['Flag --driver expects a value', '--driver expects a value'],
  ['Flag --name can only be specified once', '--name can only be specified once'],
  [
    'The following error occurred:\n  \u001b[2m--a=1 cannot also be provided when using --b\u001b[22m',
    '--a=1 cannot also be provided when using --b',
  ],
  ['The following errors occurred:\n  one\n  two', 'one; two'],
  ['Something else', 'something else'],
] as const)('words "%s" as vplane does', ([message, expected]) => {
  expect(toFailure(parserError(message), CONTEXT)).toMatchObject({
    code: 'USAGE',
    message: expected,
    hints: ['usage: vplane create NAME [flags]', 'vplane create --help'],
  })
})

test.for([
  [['name'], 'NAME is missing'],
  [['key', 'value'], 'KEY and VALUE are missing'],
] as const)('says that %j is missing', ([names, message]) => {
  const error = Object.assign(parserError('Missing some required args:\nkey  A long text that'), {
    args: names.map((name) => ({ name })),
  })

  expect(toFailure(error, CONTEXT)).toMatchObject({ code: 'USAGE', message })
})

test.for([
  ['EACCES', 'permission denied: "/x/y"'],
  ['EROFS', 'the file system is read-only: "/x/y"'],
  ['ENOSPC', 'no space left on the device: "/x/y"'],
] as const)('tells %s of the machine from a bug', ([code, message]) => {
  const error = Object.assign(new Error(code), { code, syscall: 'mkdir', path: '/x/y' })

  expect(toFailure(error, CONTEXT)).toMatchObject({ code: 'FAILED', message, exitCode: 7 })
})

test('calls everything else a bug, and says how to see where', () => {
  const failure = toFailure(new TypeError('x is not a function'), CONTEXT)

  expect(failure).toMatchObject({
    code: 'BUG',
    exitCode: 1,
    message: 'this is a bug in vplane: x is not a function',
  })
  expect(failure.hints).toEqual([expect.stringContaining('VPLANE_DEBUG=1')])
  expect(failure.cause).toBeInstanceOf(TypeError)
})

test('does not take a missing file for a failure of the machine', async () => {
  const error = await mkdir('/nonexistent-folder/x').catch((thrown: unknown) => thrown)

  expect(error).toMatchObject({ code: 'ENOENT' })
  expect(toFailure(error, CONTEXT)).toMatchObject({ code: 'BUG' })
})

test.for(['a string', undefined, null, 42])('shows even %j when that is thrown', (thrown) => {
  expect(toFailure(thrown, CONTEXT)).toMatchObject({ code: 'BUG' })
})

test('takes Ctrl-C inside a question for a no', () => {
  const error = Object.assign(new Error('closed'), { name: 'ExitPromptError' })

  expect(toFailure(error, CONTEXT)).toMatchObject({ code: 'ABORTED', exitCode: 130 })
})

test.for(['AbortError', 'AbortPromptError'])(
  'takes an operation that ends with %s for an interruption only when a signal came',
  (name) => {
    const error = Object.assign(new Error('This operation was aborted'), { name })

    expect(toFailure(error, { ...CONTEXT, isInterrupted: true })).toMatchObject({
      code: 'ABORTED',
      message: 'interrupted',
    })
    expect(toFailure(error, CONTEXT)).toMatchObject({ code: 'BUG' })
  },
)
