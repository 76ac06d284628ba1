import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { afterEach, describe, expect, test } from 'vitest'
import { endProcesses, leftProcesses, processIds } from '../../scripts/test/leftovers.ts'

const IDLE = `process.stdout.write(String(process.pid)); setInterval(() => {}, 1000)`

describe.runIf(process.platform === 'linux')('a run', () => {
  const started: number[] = []

  afterEach(() => {
    endProcesses(started.splice(0).map((id) => ({ id, command: '' })))
  })

  test('finds what it left by its environment or its arguments, and nothing else', async () => {
    const traces = tracesOfRun()
    const inEnvironment = await start([], { TEST_RUN: traces.marker })
    const inArguments = await start([`/tmp/${traces.marker}/data`])
    await start([])

    const left = await leftProcesses(traces, 0)

    expect(new Set(left.map(({ id }) => id))).toEqual(new Set([inEnvironment, inArguments]))
    expect(left[0]?.command).toContain('setInterval')
  })

  test('finds programs of the checkout that nobody owns any more', async () => {
    const traces = tracesOfRun()
    await start([`${traces.root}/owned.js`])
    const orphan = await startOrphan(`${traces.root}/orphan.js`)

    const left = await leftProcesses(traces, 0)

    expect(left.map(({ id }) => id)).toEqual([orphan])
  })

  test('does not blame itself for what was there before', async () => {
    const traces = tracesOfRun()
    await start([traces.marker])

    expect(await leftProcesses({ ...traces, before: processIds() }, 0)).toEqual([])
  })

  test('waits for what is about to end', async () => {
    const traces = tracesOfRun()
    const id = await start([traces.marker])
    const search = leftProcesses(traces, 5000)
    process.kill(id, 'SIGKILL')

    expect(await search).toEqual([])
  })

  test('ends what it left, and minds nothing that is gone', async () => {
    const traces = tracesOfRun()
    const id = await start([traces.marker])

    endProcesses([
      { id, command: '' },
      { id: 2 ** 30, command: '' },
    ])

    expect(await leftProcesses(traces, 5000)).toEqual([])
  })

  function tracesOfRun() {
    return { marker: randomUUID(), root: `/${randomUUID()}`, before: new Set<number>() }
  }

  async function start(args: string[], environment: Record<string, string> = {}): Promise<number> {
    const child = spawn(process.execPath, ['-e', IDLE, '--', ...args], {
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return remember(child.stdout)
  }

  /** Its parent ends as soon as it has started it. */
  async function startOrphan(argument: string): Promise<number> {
    const script = '"$0" -e "$1" -- "$2" &'
    const shell = spawn('/bin/sh', ['-c', script, process.execPath, IDLE, argument], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const ended = once(shell, 'exit')
    const id = await remember(shell.stdout)
    await ended
    return id
  }

  async function remember(output: NodeJS.ReadableStream): Promise<number> {
    const id = Number(String((await once(output, 'data'))[0]))
    started.push(id)
    return id
  }
})
