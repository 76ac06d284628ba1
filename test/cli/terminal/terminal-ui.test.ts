import { setTimeout as delay } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import { afterEach, expect, test, vi } from 'vitest'
import { TerminalUi } from '../../../src/cli/terminal/terminal-ui.ts'
import { fakeTerminal, type FakeTerminalOptions } from '../fake-terminal.ts'

afterEach(() => {
  vi.useRealTimers()
})

function terminalUi(options?: FakeTerminalOptions) {
  const terminal = fakeTerminal(options)
  return { terminal, ui: new TerminalUi(terminal) }
}

test('prints a line per step with its time where there is no terminal', () => {
  const { terminal, ui } = terminalUi()

  ui.step('Starting etcd')
  ui.step('Starting kube-apiserver')
  ui.finish()

  expect(terminal.lines()).toEqual([
    expect.stringMatching(/^✔ Starting etcd \d+\.\ds$/),
    expect.stringMatching(/^✔ Starting kube-apiserver \d+\.\ds$/),
  ])
})

test('marks the step that failed', () => {
  const { terminal, ui } = terminalUi()

  ui.step('Starting etcd')
  ui.finish('failed')

  expect(terminal.text()).toMatch(/^✖ Starting etcd /)
})

test('marks a step that failed, though the work continues another way', () => {
  const { terminal, ui } = terminalUi()

  ui.step('downloading Kubernetes')
  ui.failStep()
  ui.note('cannot reach dl.k8s.io')
  ui.step('building Kubernetes')
  ui.finish()

  expect(terminal.lines()).toEqual([
    expect.stringMatching(/^✖ downloading Kubernetes /),
    'cannot reach dl.k8s.io',
    expect.stringMatching(/^✔ building Kubernetes /),
  ])
})

test('ends a step once, however often it is finished', () => {
  const { terminal, ui } = terminalUi()

  ui.finish()
  ui.step('Starting etcd')
  ui.finish()
  ui.finish('failed')

  expect(terminal.lines()).toHaveLength(1)
})

test('announces a slow step while it runs, with what it has got to', () => {
  vi.useFakeTimers()
  const { terminal, ui } = terminalUi()

  ui.step('Downloading etcd')
  ui.progress('12 of 80 MiB')
  vi.advanceTimersByTime(1900)
  expect(terminal.text()).toBe('')

  vi.advanceTimersByTime(200)
  expect(terminal.lines()).toEqual(['… Downloading etcd: 12 of 80 MiB'])

  ui.finish()
  expect(terminal.lines()).toHaveLength(2)
})

test('warns and notes on stderr, also in the middle of a step', () => {
  const { terminal, ui } = terminalUi()

  ui.step('Starting etcd')
  ui.warn('the disk is slow')
  ui.note('using /opt/etcd')
  ui.finish()

  expect(terminal.lines()).toEqual([
    'warning: the disk is slow',
    'using /opt/etcd',
    expect.stringContaining('✔ Starting etcd'),
  ])
})

test('says nothing but warnings when a script reads JSON', () => {
  const { terminal, ui } = terminalUi({ isTty: true, isJson: true })

  ui.step('Starting etcd')
  ui.progress('1 of 2')
  ui.note('using /opt/etcd')
  ui.warn('the disk is slow')
  ui.finish()

  expect(terminal.lines().map(stripVTControlCharacters)).toEqual(['warning: the disk is slow'])
})

test('turns a spinner on a terminal, and leaves a finished line behind', async () => {
  const { terminal, ui } = terminalUi({ isTty: true })

  ui.step('Starting etcd')
  ui.progress('waiting for the leader')
  await expect.poll(() => terminal.text()).toContain('Starting etcd: waiting for the leader')
  ui.finish()

  const after = terminal.text()
  const lastLine = stripVTControlCharacters(after).split('\n').at(-2)
  expect(lastLine).toMatch(/✔ Starting etcd \d+\.\ds$/)
  await delay(150)
  expect(terminal.text()).toBe(after)
})

test('turns the spinner without colour where none is wanted', async () => {
  const { terminal, ui } = terminalUi({ isTty: true, environment: { NO_COLOR: '1' } })

  ui.step('Starting etcd')
  await expect.poll(() => terminal.text()).toContain('Starting etcd')
  ui.finish()

  expect(terminal.text()).not.toContain('\u001b[36m')
  expect(terminal.text()).not.toContain('\u001b[32m')
})

test('never starts the spinner of a step that ended before it was loaded', async () => {
  const { terminal, ui } = terminalUi({ isTty: true })

  ui.step('Starting etcd')
  ui.finish()
  const after = terminal.text()
  await import('ora')
  await delay(150)

  expect(terminal.text()).toBe(after)
})

test.for([
  [{ isTty: false }, 'this is not a terminal'],
  [{ isTty: true, environment: { CI: 'true' } }, 'CI is set'],
  [{ isTty: true, isStdinTty: false }, 'stdin is not a terminal'],
  [{ isTty: true, isJson: true }, '--json is set'],
] as const)('asks nobody on %j, but names the flag that answers', async ([options, reason]) => {
  const { ui } = terminalUi(options)

  expect(ui.canAsk).toBe(false)
  await expect(ui.confirm('Delete "dev"?', { option: 'yes' })).rejects.toMatchObject({
    code: 'USAGE',
    message: `cannot ask "Delete "dev"?": ${reason}`,
    hints: ['pass --yes to confirm'],
  })
})

test.for(['', '0', 'false'])('can ask on a terminal where CI is "%s"', (CI) => {
  expect(terminalUi({ isTty: true, environment: { CI } }).ui.canAsk).toBe(true)
})

test('lets nobody choose where nobody is, but says what is missing', async () => {
  const { ui } = terminalUi()

  const hints = ['usage: vplane connect NAME']

  const choice = ui.chooseFrom('Which?', [{ value: 'dev' }], { missing: 'NAME is missing', hints })

  await expect(choice).rejects.toMatchObject({ code: 'USAGE', message: 'NAME is missing', hints })
})

test('does not offer an empty list', async () => {
  const { ui } = terminalUi({ isTty: true })

  const choice = ui.chooseFrom('Which plane?', [], { missing: 'NAME is missing' })

  await expect(choice).rejects.toMatchObject({ code: 'NOT_FOUND' })
})
