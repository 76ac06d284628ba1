import { Args } from '@oclif/core'
import { expect, test } from 'vitest'
import { WrapperCommand } from '../../../src/cli/base/wrapper-command.ts'
import { type ErrorCode, VplaneError } from '../../../src/shared/errors.ts'
import { runCommandClass } from '../run-command-class.ts'

test.for([
  ['CONTROL_PLANE_NOT_FOUND', 125],
  ['COMPONENT_FAILED', 125],
  ['BUG', 125],
  ['COMMAND_NOT_FOUND', 127],
  ['COMMAND_NOT_EXECUTABLE', 126],
  ['ABORTED', 130],
] as const)(
  'ends with a status of its own for %s before the command starts',
  async ([code, status]) => {
    expect(await statusOf(code, ['--', 'true'])).toEqual({ exit: status })
  },
)

test.for([
  ['CONTROL_PLANE_NOT_FOUND', 3],
  ['COMPONENT_FAILED', 7],
  ['BUG', 1],
] as const)('ends as other commands do for %s without a command', async ([code, status]) => {
  expect(await statusOf(code, [])).toEqual({ exit: status })
})

test.for([[['--']], [[]]] as const)('wants a command after -- in %j', async ([argv]) => {
  const { error } = await runCommandClass(Wanting, argv)

  expect(error).toMatchObject({
    code: 'USAGE',
    message: 'there is no command after --',
    oclif: { exit: 125 },
  })
})

test('ends a wrong flag in front of a command with the same status', async () => {
  expect(await statusOf('BUG', ['--json', '--', 'true'])).toMatchObject({ exit: 125 })
  expect(await statusOf('BUG', ['--bogus', '--', 'true'])).toEqual({ exit: 125 })
  expect(await statusOf('BUG', ['--bogus'])).toEqual({ exit: 2 })
})

test.for([
  [['--', 'no-such-command'], 'COMMAND_NOT_FOUND', 127],
  [['--', '/proc/version'], 'COMMAND_NOT_EXECUTABLE', 126],
] as const)('refuses %j before it does anything', async ([argv, code, exit]) => {
  const { error } = await runCommandClass(Wanting, argv)

  expect(error).toMatchObject({ code, oclif: { exit } })
})

test('shows where -- is missing', async () => {
  const { error } = await runCommandClass(Named, ['dev', 'kubectl', 'get', 'ns', '-o', 'name'])

  expect(error).toMatchObject({
    code: 'USAGE',
    hints: [expect.stringContaining('dev -- kubectl get ns -o name')],
  })
})

class Named extends WrapperCommand {
  static override readonly passedCommand = '[-- CMD...]'
  static override readonly args = { name: Args.string() }

  async run(): Promise<void> {
    await this.parse(Named)
  }
}

class Wanting extends WrapperCommand {
  static override readonly passedCommand = '-- CMD...'

  run(): Promise<string[]> {
    return Promise.resolve(this.requireCommand())
  }
}

async function statusOf(code: ErrorCode, argv: readonly string[]): Promise<unknown> {
  class Failing extends WrapperCommand {
    static override readonly passedCommand = '[-- CMD...]'

    async run(): Promise<void> {
      await this.parse(Failing)
      throw new VplaneError(code, 'it failed')
    }
  }
  const { error } = await runCommandClass(Failing, argv)
  return typeof error === 'object' && error !== null && 'oclif' in error ? error.oclif : error
}
