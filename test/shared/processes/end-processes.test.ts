import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { endProcesses, type ProcessIdentity } from '../../../src/shared/processes/end-processes.ts'
import { processTableOf } from '../../../src/shared/processes/process-table-of.ts'

const table = processTableOf(process.platform)
const { signal } = new AbortController()

test('lets processes end by themselves', async () => {
  const first = await start(`process.on('SIGTERM', () => process.exit(7))`)
  const second = await start(`process.on('SIGTERM', () => process.exit(8))`)
  const ended = [once(first, 'exit'), once(second, 'exit')]

  await endProcesses([identityOf(first), identityOf(second)], { table, signal, graceMs: 5000 })

  expect([identityNow(first), identityNow(second)]).toEqual([undefined, undefined])
  expect(await Promise.all(ended)).toEqual([
    [7, null],
    [8, null],
  ])
})

test('kills those that do not', async () => {
  const child = await start(`process.on('SIGTERM', () => {})`)
  const ended = once(child, 'exit')

  await endProcesses([identityOf(child)], { table, signal, graceMs: 100 })

  expect(identityNow(child)).toBeUndefined()
  expect(await ended).toEqual([null, 'SIGKILL'])
})

test('kills at once without a grace period', async () => {
  const child = await start(`process.on('SIGTERM', () => process.exit(7))`)
  const ended = once(child, 'exit')

  await endProcesses([identityOf(child)], { table, signal, graceMs: 0 })

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
  await endProcesses([{ processId: 999_999_999, startTime: '1' }], {
    table,
    signal,
    graceMs: 60_000,
  })
})

test('stops waiting when it is interrupted, without killing', async () => {
  const child = await start(`process.on('SIGTERM', () => {})`)
  const interrupt = new AbortController()

  const ending = endProcesses([identityOf(child)], {
    table,
    signal: interrupt.signal,
    graceMs: 60_000,
  })
  interrupt.abort()

  await expect(ending).rejects.toMatchObject({ code: 'ABORTED' })
  expect(identityNow(child)).toBeDefined()
  child.kill('SIGKILL')
  await once(child, 'exit')
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
