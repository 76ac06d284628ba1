import { afterEach, expect, test, vi } from 'vitest'
import {
  type OnePlane,
  SeveralPlanesCommand,
} from '../../../src/cli/base/several-planes-command.ts'
import { dryRunFlag, yesFlag } from '../../../src/cli/flags/flags.ts'
import { selectorFlags } from '../../../src/cli/flags/selector-flags.ts'
import { namesArgument, severalFlags } from '../../../src/cli/flags/several-flags.ts'
import { VplaneError } from '../../../src/shared/errors.ts'
import { TerminalUi } from '../../../src/cli/terminal/terminal-ui.ts'
import { fakeTerminal } from '../fake-terminal.ts'
import { runCommandClass } from '../run-command-class.ts'
import { homeForEachTest } from '../temporary-home.ts'

homeForEachTest()

afterEach(() => {
  process.exitCode = undefined
  Probe.terminalUi = undefined
})

/** What a probe does with one plane. */
type Body = (one: OnePlane) => unknown

class Probe extends SeveralPlanesCommand {
  static override id = 'probe'
  static override args = { name: namesArgument() }
  static override flags = {
    ...selectorFlags,
    ...severalFlags,
    yes: yesFlag(),
    'dry-run': dryRunFlag(),
  }
  static body: Body = () => undefined
  /** @default that of this process */
  static terminalUi: TerminalUi | undefined

  protected override readonly words = {
    doing: 'Probing',
    done: 'probed',
    againFlags: ['--force'],
  }

  protected override get ui(): TerminalUi {
    return Probe.terminalUi ?? super.ui
  }

  async run(): Promise<unknown> {
    const { argv, flags } = await this.parse(Probe)
    const question = (planes: string) => `Probe ${planes}?`
    return this.workOn({ names: argv, flags, question }, async (one) => Probe.body(one))
  }
}

const probe = (argv: readonly string[], body: Body = ({ selected }) => selected.name) => {
  Probe.body = body
  return runCommandClass<unknown>(Probe, argv)
}

const failOn = (broken: string) => (one: OnePlane) => {
  const { name } = one.selected
  if (name === broken) {
    throw new VplaneError('TIMED_OUT', `"${name}" is too slow`)
  }
  one.say(`Probed "${name}".`)
  return name
}

test('returns the result of a single NAME as it is, and asks nothing', async () => {
  const { result, stdout } = await probe(['dev', 'dev', '-n', 'team'], (one) => {
    one.say('done')
    one.composition.ui.note('a note')
    return { ...one.selected, isConfirmed: one.isConfirmed }
  })

  expect(result).toMatchObject({ name: 'dev', namespace: 'team', isConfirmed: false })
  expect(stdout).toBe('done\n')
})

test('works on several, and prints a line for each where lines do not change', async () => {
  const { result, stderr, stdout } = await probe(['a', 'b', '-n', 'team', '--yes'], (one) => {
    one.composition.ui.step('Working')
    one.composition.ui.warn('it is slow')
    return failOn('none')(one)
  })

  expect(result).toMatchObject({
    items: [
      { name: 'a', namespace: 'team', outcome: 'done', error: null, result: 'a' },
      { name: 'b', namespace: 'team', outcome: 'done', error: null, result: 'b' },
    ],
  })
  expect(stdout).toBe('Probed "a".\nProbed "b".\n2 control planes are probed.\n')
  expect(stderr).toBe('warning: team/a: it is slow\nwarning: team/b: it is slow\n')
})

test('continues with the others after a failure, and sums up', async () => {
  const { error, stdout } = await probe(['a', 'b', 'c', '--yes'], failOn('b'))

  expect(stdout).toBe('Probed "a".\nProbed "c".\n')
  expect(error).toMatchObject({
    code: 'TIMED_OUT',
    message: '1 of 3 control planes is not probed:\n  b: "b" is too slow',
    hints: ['to try again: vplane probe a b c --yes --force'],
    oclif: { exit: 6 },
  })
})

test('prints what became of each as JSON, also after a failure, and exits as that', async () => {
  const { error, stdout } = await probe(['a', 'b', '--yes', '--json'], failOn('b'))

  expect(error).toBeUndefined()
  expect(process.exitCode).toBe(6)
  expect(JSON.parse(stdout)).toMatchObject({
    items: [
      { name: 'a', outcome: 'done', result: 'a' },
      { name: 'b', outcome: 'failed', error: { code: 'TIMED_OUT', exitCode: 6 }, result: null },
    ],
  })
})

test('shows how many are done in one line on a terminal, and no line for each', async () => {
  const terminal = fakeTerminal({ isTty: true })
  Probe.terminalUi = new TerminalUi(terminal)

  const { stdout } = await probe(['a', 'b', 'c', '--yes'], async (one) => {
    one.composition.ui.step('Working')
    if (one.selected.name === 'c') {
      await vi.waitFor(() => expect(terminal.text()).toContain('1 of 3 probed, 1 failed'))
    }
    return failOn('b')(one)
  })

  expect(stdout).toBe('')
  expect(terminal.text()).toContain('Probing control planes')
  expect(terminal.text()).not.toContain('Working')
})

test('has a bound on how many are worked on at once', async () => {
  const names = Array.from({ length: 9 }, (_, index) => `p${index}`)
  let [running, most] = [0, 0]

  await probe([...names, '--yes', '--parallel', '3'], async ({ selected }) => {
    running += 1
    most = Math.max(most, running)
    await new Promise(setImmediate)
    running -= 1
    return selected.name
  })

  expect(most).toBe(3)
})

test('starts no more after Ctrl-C, and says how to continue', async () => {
  const { error } = await probe(['a', 'b', '--yes', '--parallel', '1'], ({ selected }) => {
    process.emit('SIGINT', 'SIGINT')
    selected.signal.throwIfAborted()
  })

  expect(error).toMatchObject({
    code: 'ABORTED',
    message: 'interrupted: 0 of 2 control planes are probed',
    hints: ['to continue: vplane probe a b --yes --parallel 1'],
    oclif: { exit: 130 },
  })
})

test('shows the steps of each plane in a dry run, and asks nothing', async () => {
  const { stdout } = await probe(['a', 'b', '--dry-run'], ({ composition, say, selected }) => {
    if (selected.name === 'a') {
      composition.ui.plan([{ action: 'stop-components' }], 'result')
    }
    say(`"${selected.name}" was not probed.`)
  })

  expect(stdout).toBe(
    [
      'a:',
      '  Steps:',
      '    1. stop its components',
      'b:',
      '  "b" was not probed.',
      'Nothing was changed.',
      '',
    ].join('\n'),
  )
})

test('asks one question, which names ten planes', async () => {
  const names = Array.from({ length: 12 }, (_, index) => `p${index}`)
  const ten = names.slice(0, 10).join(', ')

  const { error } = await probe(names)

  expect(error).toMatchObject({
    code: 'USAGE',
    message: expect.stringContaining(`"Probe 12 control planes (${ten} and 2 more)?"`),
    hints: ['pass --yes to confirm'],
  })
})

test('does nothing where no plane has the labels', async () => {
  const { error, result, stderr } = await probe(['-l', 'team=shop'])

  expect(error).toBeUndefined()
  expect(result).toEqual({ items: [] })
  expect(stderr).toBe('No control plane matches "team=shop".\n')
})

test.for([
  [['dev', '-l', 'a=b'], 'NAME and --selector cannot be used together'],
  [['-l', ''], '--selector is empty'],
  [['-l', ' '], '--selector is empty'],
  [['-l', 'a=b', '--parallel', '0'], '--parallel: expected an integer greater than or equal to 1'],
  [['-l', 'a=b', '--parallel', '65'], '--parallel: expected an integer less than or equal to 64'],
] as const)('refuses %j', async ([argv, message]) => {
  const { error } = await probe(argv)

  expect(error).toMatchObject({ code: 'USAGE', message: expect.stringContaining(message) })
})

test('refuses a wrong name before it works on the others', async () => {
  const { error, stdout } = await probe(['dev', 'Dev', '--yes'], failOn('none'))

  expect(error).toMatchObject({ code: 'INVALID_NAME' })
  expect(stdout).toBe('')
})
