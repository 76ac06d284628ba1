import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { runWithKubeconfig } from '../../../src/cli/processes/run-with-kubeconfig.ts'
import { VplaneError } from '../../../src/shared/errors.ts'
import { rejectionOf } from '../../support/thrown-by.ts'
import { homeForEachTest } from '../temporary-home.ts'

const home = homeForEachTest()

/** Where commands write. */
const out = () => join(home.root, 'out')

test.for([
  ['exit 0', 0],
  ['exit 7', 7],
  ['kill -TERM $$', 143],
  ['kill -KILL $$', 137],
] as const)('gives the exit code of %j', async ([script, expected]) => {
  expect(await run(['sh', '-c', script])).toBe(expected)
})

test('gives the command a kubeconfig of its own, which is gone afterwards', async () => {
  const script = `exec > ${out()}; cat "$KUBECONFIG"; echo "$KUBECONFIG"; ls -l "$KUBECONFIG"`

  await run(['sh', '-c', script], { kubeconfig: 'kind: Config\n' })

  const [content, path = '', listing] = readFileSync(out(), 'utf8').split('\n')
  expect(content).toBe('kind: Config')
  expect(listing).toMatch(/^-rw------- /)
  expect(existsSync(dirname(path))).toBe(false)
})

test('puts the folder of its own kubectl behind all others', async () => {
  await run(['sh', '-c', `echo "$PATH" > ${out()}`], { kubectlFolder: '/own/kubectl' })

  expect(readFileSync(out(), 'utf8')).toBe(`${process.env['PATH']}:/own/kubectl\n`)
})

test.for([
  [['no-such-command'], 'COMMAND_NOT_FOUND', 'command "no-such-command" not found on PATH'],
  [[''], 'COMMAND_NOT_FOUND', 'the command after -- is empty'],
  [['/tmp'], 'COMMAND_NOT_EXECUTABLE', 'cannot run "/tmp": permission denied'],
  [
    ['sh', 'x'.repeat(200_000)],
    'COMMAND_NOT_EXECUTABLE',
    'cannot run "sh": the arguments are too long',
  ],
] as const)('says why %j does not start', async ([command, code, message]) => {
  expect(await rejectionOf(run(command))).toMatchObject({ code, message })
})

test('does not start the command when a signal came before', async () => {
  const reason = new VplaneError('ABORTED', 'interrupted')

  const error = await rejectionOf(
    run(['sh', '-c', `echo > ${out()}`], { signal: AbortSignal.abort(reason) }),
  )

  expect(error).toBe(reason)
  expect(existsSync(out())).toBe(false)
})

test('stands aside for as long as the command runs', async () => {
  const order: string[] = []

  await run(['sh', '-c', 'exit 0'], {
    standAside: () => {
      order.push('aside')
      return { [Symbol.dispose]: () => order.push('back') }
    },
  })

  expect(order).toEqual(['aside', 'back'])
  expect(process.listenerCount('SIGUSR1')).toBe(0)
})

test('passes signals on to the command', async () => {
  home.write('out', '')
  const script = `trap 'exit 9' USR2; echo ready > ${out()}; while :; do sleep 0.02; done`

  const running = run(['sh', '-c', script])
  await expect.poll(() => readFileSync(out(), 'utf8'), { timeout: 5000 }).toBe('ready\n')
  process.emit('SIGUSR2', 'SIGUSR2')

  expect(await running).toBe(9)
})

interface Options {
  kubeconfig?: string
  kubectlFolder?: string
  signal?: AbortSignal
  standAside?: () => Disposable
}

function run(
  command: readonly string[],
  {
    signal = new AbortController().signal,
    standAside = () => ({ [Symbol.dispose]: () => {} }),
    ...options
  }: Options = {},
) {
  const interrupts = { signal, standAside }
  const environment = process.env
  return runWithKubeconfig({ command, kubeconfig: '', environment, interrupts, ...options })
}
