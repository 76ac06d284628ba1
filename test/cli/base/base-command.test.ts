import { PassThrough } from 'node:stream'
import { Args } from '@oclif/core'
import * as Flags from '@oclif/core/flags'
import { expect, onTestFinished, test, vi } from 'vitest'
import { BaseCommand } from '../../../src/cli/base/base-command.ts'
import { timeoutFlag, waitFlag } from '../../../src/cli/flags/flags.ts'
import { VplaneError } from '../../../src/shared/errors.ts'
import { type FakeTerminal, fakeTerminal } from '../fake-terminal.ts'
import { runCommandClass } from '../run-command-class.ts'
import { homeForEachTest } from '../temporary-home.ts'

homeForEachTest()

/** What a probe does; set by each test. */
type Body = (probe: Probe) => unknown

class Probe extends BaseCommand {
  static override id = 'probe'
  static override summary = 'Shows how commands behave.'
  static override args = { name: Args.string(), second: Args.string() }
  static override flags = { wait: waitFlag(), timeout: timeoutFlag(), count: Flags.integer() }
  static override passedCommand = '[-- CMD...]'
  static body: Body = () => undefined

  async run(): Promise<unknown> {
    const { args, flags } = await this.parse(Probe)
    const done = await Probe.body(this)
    return done ?? { args, flags, command: this.passedCommand }
  }

  get theSignal() {
    return this.signal
  }

  get theUi() {
    return this.ui
  }

  choose(name: string | undefined) {
    return this.selectPlane(name, {}, { drivers: [] })
  }
}

const probe = (argv: readonly string[], body: Body = () => undefined) => {
  Probe.body = body
  return runCommandClass(Probe, argv)
}

test('hands over arguments, flags and the words after -- verbatim', async () => {
  const words = ['sh', '-c', 'x', '--count', '4', '--', '']

  const { result } = await probe(['dev', '--count', '3', '--', ...words])

  expect(result).toMatchObject({
    args: { name: 'dev' },
    flags: { count: 3, wait: true, timeout: 300_000 },
    command: words,
  })
})

test('knows that there was no --, and that there was nothing after it', async () => {
  expect(await probe(['dev'])).toMatchObject({ result: { command: undefined } })
  expect(await probe(['dev', '--'])).toMatchObject({ result: { command: [] } })
})

test.for([
  [['--wait=false'], false],
  [['--no-wait'], false],
  [['--wait=true'], true],
] as const)('reads %j as a flag, never as a name', async ([argv, wait]) => {
  const { result } = await probe(argv)

  expect(result).toMatchObject({ args: {}, flags: { wait } })
})

test('takes defaults from variables, and lets flags win over them', async () => {
  vi.stubEnv('VPLANE_TIMEOUT', '90s')
  vi.stubEnv('VPLANE_WAIT', 'false')

  expect(await probe([])).toMatchObject({ result: { flags: { timeout: 90_000, wait: false } } })
  expect(await probe(['--timeout', '1h', '--wait'])).toMatchObject({
    result: { flags: { timeout: 3_600_000, wait: true } },
  })
})

test('does not read settings that the flags make needless', async () => {
  vi.stubEnv('VPLANE_TIMEOUT', 'nonsense')

  const { error } = await probe(['--timeout', '1m', '--no-wait'])

  expect(error).toBeUndefined()
})

test.for([
  [['--bogus'], 'unknown flag "--bogus"'],
  [['a', 'b', 'c'], 'unexpected argument "c"'],
  [['--timeout', 'soon'], '--timeout: "soon" is not a duration'],
  [['--count', 'x'], '--count: expected an integer but received: x'],
  [['--count'], '--count expects a value'],
  [['--wait', 'false'], '"--wait false" is not valid'],
  [['--json', '--', 'ls'], '--json cannot be used with a command, which has its own output'],
] as const)('refuses %j as a usage error', async ([argv, message]) => {
  const { error, stdout } = await probe(argv)

  expect(error).toMatchObject({ code: 'USAGE', message, oclif: { exit: 2 } })
  expect(stdout).toBe('')
})

test('puts the usage line into what the parser refuses', async () => {
  const { error } = await probe(['--bogus'])

  expect(error).toMatchObject({
    hints: ['usage: vplane probe [NAME] [SECOND] [flags] [-- CMD...]', 'vplane probe --help'],
  })
})

test('leaves --json after -- to the command of the user', async () => {
  expect(await probe(['--', 'kubectl', '--json'])).toMatchObject({
    error: undefined,
    result: { command: ['kubectl', '--json'] },
  })
})

test('prints the result as JSON on stdout, and nothing else there', async () => {
  const { stdout } = await probe(['--json'], (command) => {
    command.log('for people')
    return { list: [], at: new Date(0) }
  })

  expect(JSON.parse(stdout)).toEqual({ list: [], at: '1970-01-01T00:00:00.000Z' })
})

test('prints an empty list as JSON', async () => {
  const { stdout } = await probe(['--json'], () => [])

  expect(stdout).toBe('[]\n')
})

test('says results on stdout and everything else on stderr', async () => {
  const { stdout, stderr } = await probe([], (command) => {
    command.theUi.step('Working')
    command.theUi.warn('slow')
    command.log('done')
  })

  expect(stdout).toBe('done\n')
  expect(stderr).toMatch(/^warning: slow\n✔ Working \d+\.\ds\n$/)
})

test('marks the open step as failed when the command fails', async () => {
  const { stderr, error } = await probe([], (command) => {
    command.theUi.step('Working')
    throw new VplaneError('TIMED_OUT', 'gave up')
  })

  expect(stderr).toMatch(/^✖ Working /)
  expect(error).toMatchObject({ code: 'TIMED_OUT', oclif: { exit: 6 } })
})

test('calls an unexpected error a bug', async () => {
  const { error } = await probe([], () => {
    throw new TypeError('undefined is not a function')
  })

  expect(error).toMatchObject({ code: 'BUG', oclif: { exit: 1 } })
})

test('lets a command end with a status of its own', async () => {
  const { error } = await probe([], (command) => command.exit(42))

  expect(error).toMatchObject({ code: 'EEXIT', oclif: { exit: 42 } })
})

test.for([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('turns %s into an aborted signal and exit code %i', async ([name, exit]) => {
  const { error } = await probe([], async (command) => {
    const { theSignal } = command
    process.emit(name, name)
    expect(theSignal.aborted).toBe(true)
    theSignal.throwIfAborted()
  })

  expect(error).toMatchObject({ code: 'ABORTED', oclif: { exit } })
})

test('ends a question when a signal comes while it listens for signals', async () => {
  const { error } = await probe([], async (command) => {
    const terminal = atTerminal()
    const { theSignal, theUi } = command
    const answer = theUi.confirm('Delete "dev"?', { option: 'yes' })
    await expect.poll(() => terminal.text()).toContain('Delete "dev"?')
    process.emit('SIGTERM', 'SIGTERM')
    expect(theSignal.aborted).toBe(true)
    await answer
  })

  expect(error).toMatchObject({ code: 'ABORTED', message: 'interrupted', oclif: { exit: 143 } })
})

test('repeats the call that continues after an interruption', async () => {
  class Lasting extends Probe {
    static override isContinuable = true
  }
  Probe.body = ({ theSignal }) => {
    process.emit('SIGINT', 'SIGINT')
    theSignal.throwIfAborted()
  }

  const { error } = await runCommandClass(Lasting, ['my dev', '--no-wait'])

  expect(error).toMatchObject({
    hints: ["to continue: vplane probe 'my dev' --no-wait"],
    oclif: { exit: 130 },
  })
})

test('listens for signals only once the command uses its signal, and never longer than it runs', async () => {
  const before = process.listenerCount('SIGINT')
  const counts: number[] = []

  await probe([], (command) => {
    counts.push(process.listenerCount('SIGINT'))
    expect(command.theSignal.aborted).toBe(false)
    counts.push(process.listenerCount('SIGINT'))
  })

  expect([...counts, process.listenerCount('SIGINT')]).toEqual([before, before + 1, before])
})

test('takes the NAME that was given, and demands one where nobody can choose', async () => {
  const given = await probe(['dev'], (command) => command.choose('dev'))
  const missing = await probe([], (command) => command.choose(undefined))

  expect(given.result).toMatchObject({ name: 'dev' })
  expect(missing.error).toMatchObject({
    code: 'USAGE',
    message: 'NAME is missing',
    hints: ['usage: vplane probe [NAME] [SECOND] [flags] [-- CMD...]'],
  })
})

/** Until the end of the test, this process is at a terminal. */
function atTerminal(): FakeTerminal {
  const terminal = fakeTerminal({ isTty: true })
  const stdin = Object.assign(new PassThrough(), { isTTY: true })
  vi.stubEnv('CI', '')
  for (const [name, value] of Object.entries({ stdin, stderr: terminal.stderr })) {
    const before = Object.getOwnPropertyDescriptor(process, name) ?? {}
    Object.defineProperty(process, name, { value, configurable: true })
    onTestFinished(() => void Object.defineProperty(process, name, before))
  }
  return terminal
}
