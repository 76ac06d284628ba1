import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test, vi } from 'vitest'
import { endProcesses, type ProcessIdentity } from '../../../src/shared/processes/end-processes.ts'
import { processTableOf } from '../../../src/shared/processes/process-table-of.ts'
import { rejectionOf } from '../../support/thrown-by.ts'

const table = processTableOf(process.platform)
const { signal } = new AbortController()

test('lets processes end by themselves', async () => {
  const first = await start(`process.on('SIGTERM', () => process.exit(7))`)
  const second = await start(`process.on('SIGTERM', () => process.exit(8))`)
  const ended = [once(first, 'exit'), once(second, 'exit')]

  await endProcesses([identityOf(first), identityOf(second)], { table, signal, graceMs: 5000 })

  expect([identityNow(first), identityNow(second)]).toEqual([undefined, undefined])
  expect((await Promise.all(ended)).map(([code]) => code)).toEqual([7, 8])
})

test.for([
  ['those that do not', '', 100],
  ['at once without a grace period', 'process.exit(7)', 0],
] as const)('kills %s', async ([, reaction, graceMs]) => {
  const child = await start(`process.on('SIGTERM', () => { ${reaction} })`)
  const ended = once(child, 'exit')

  await endProcesses([identityOf(child)], { table, signal, graceMs })

  expect(identityNow(child)).toBeUndefined()
  expect(await ended).toEqual([null, 'SIGKILL'])
})

test('leaves a later process with the same id alone', async () => {
  const child = await start('')

  await endProcesses([{ ...identityOf(child), startTime: '1' }], { table, signal, graceMs: 0 })

  expect(identityNow(child)).toBeDefined()
  child.kill('SIGKILL')
  await once(child, 'exit')
})

test('is done at once when there is nothing to end', async () => {
  await endProcesses([], { table, signal, graceMs: 60_000 })
  const ended = { processId: 999_999_999, startTime: '1' }
  await endProcesses([ended], { table, signal, graceMs: 60_000 })
})

test('stops waiting when it is interrupted, without killing', async () => {
  const child = await start(`process.on('SIGTERM', () => {})`)
  const interrupt = new AbortController()
  const { signal } = interrupt

  const ending = endProcesses([identityOf(child)], { table, signal, graceMs: 60_000 })
  interrupt.abort()

  await expect(ending).rejects.toMatchObject({ code: 'ABORTED' })
  expect(identityNow(child)).toBeDefined()
  child.kill('SIGKILL')
  await once(child, 'exit')
})

test('says what to do when a killed process does not end in time', async () => {
  vi.spyOn(AbortSignal, 'timeout').mockReturnValue(AbortSignal.abort())
  const stuck = { processId: 999_999_999, startTime: '1' }
  const ending = endProcesses([stuck], {
    table: { ...table, startTimeOf: () => '1' },
    signal,
    graceMs: 0,
  })

  expect(await rejectionOf(ending)).toMatchObject({
    code: 'TIMED_OUT',
    message: 'gave up waiting for the end of process 999999999 after 10 s',
    hints: [expect.stringMatching(/^run the command again/)],
  })
})

/** Starts a process that runs until it is ended, and returns when its signal handlers stand. */
async function start(script: string): Promise<ChildProcess> {
  const program = `${script};setInterval(() => {}, 60000);process.stdout.write('.')`
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'ignore'] })
  await once(child.stdout, 'data')
  return child
}

function identityOf({ pid = 0 }: ChildProcess): ProcessIdentity {
  return { processId: pid, startTime: table.startTimeOf(pid) ?? '' }
}

function identityNow({ pid = 0 }: ChildProcess): string | undefined {
  return table.startTimeOf(pid)
}
