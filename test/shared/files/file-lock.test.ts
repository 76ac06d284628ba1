import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, statSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { acquireFileLock } from '../../../src/shared/files/file-lock.ts'
import { packageRoot } from '../../../src/shared/package-root.ts'
import { temporaryFolder } from '../../support/machine/temporary-folder.ts'

const MODULE = join(packageRoot(), 'src/shared/files/file-lock.ts')

let folder: string
let path: string

beforeEach(async () => {
  const temporary = await temporaryFolder()
  folder = temporary.path
  path = join(folder, 'locks', 'dev.lock')
  return temporary[Symbol.asyncDispose]
})

test('excludes a second caller of the same process until it is released', async () => {
  const events: string[] = []
  const first = await acquire()

  const waiting = acquire({ onWait: () => events.push('waits') })
  const second = (async () => {
    await using _ = await waiting
    events.push('has it')
  })()
  await expect.poll(() => events).toEqual(['waits'])
  events.push('released')
  await first[Symbol.asyncDispose]()
  await second

  expect(events).toEqual(['waits', 'released', 'has it'])
})

test('reports what it waited for when the time is over', async () => {
  await using _ = await acquire()

  await expect(acquire({ timeoutMs: 60 })).rejects.toMatchObject({
    code: 'TIMED_OUT',
    message: expect.stringContaining('waiting for someone'),
  })
})

test('tries exactly once with a time of 0', async () => {
  await using _ = await acquire({ timeoutMs: 0 })

  await expect(acquire({ timeoutMs: 0 })).rejects.toMatchObject({ code: 'TIMED_OUT' })
})

test('stops waiting when the signal fires', async () => {
  await using _ = await acquire()
  const abort = new AbortController()

  const second = acquire({ signal: abort.signal, onWait: () => abort.abort() })

  await expect(second).rejects.toMatchObject({ code: 'ABORTED' })
})

test('does not lock for a caller that was stopped before', async () => {
  await expect(acquire({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'ABORTED' })
  expect(existsSync(path)).toBe(false)
})

test('leaves nothing behind, and may be released twice', async () => {
  const lock = await acquire()
  expect(statSync(path)).toMatchObject({ size: 0, mode: 0o100600 })

  await lock[Symbol.asyncDispose]()
  await lock[Symbol.asyncDispose]()

  expect(existsSync(path)).toBe(false)
})

test('does not remove the lock in a folder that was created again', async () => {
  const lock = await acquire()
  await rm(join(folder, 'locks'), { recursive: true })
  await using _ = await acquire()

  await lock[Symbol.asyncDispose]()

  expect(existsSync(path)).toBe(true)
})

test('reuses a file that a crash left behind', async () => {
  mkdirSync(join(folder, 'locks'))
  await writeFile(path, '')

  await using _ = await acquire({ timeoutMs: 0 })

  await expect(acquire({ timeoutMs: 0 })).rejects.toMatchObject({ code: 'TIMED_OUT' })
})

test.for([
  ['it is a folder', (at: string) => mkdirSync(at)],
  ['it holds something else', (at: string) => writeFile(at, 'something else '.repeat(100))],
] as const)('names the file that cannot be a lock when %s', async ([, prepare]) => {
  mkdirSync(join(folder, 'locks'))
  await prepare(path)

  await expect(acquire()).rejects.toMatchObject({
    code: 'FAILED',
    message: expect.stringContaining(`cannot lock "${path}"`),
  })
})

test('names the file that its folder leads through', async () => {
  await writeFile(join(folder, 'locks'), '')

  await expect(acquire()).rejects.toMatchObject({
    code: 'FAILED',
    message: `cannot write to "${join(folder, 'locks')}": it is not a folder`,
    hints: expect.arrayContaining([expect.stringContaining('VPLANE_HOME')]),
  })
})

test('is free at once when its holder is killed', async () => {
  const holder = run(`await lock(); console.log('locked'); setInterval(() => {}, 1000)`)
  await once(holder.stdout ?? holder, 'data')
  await expect(acquire({ timeoutMs: 0 })).rejects.toMatchObject({ code: 'TIMED_OUT' })
  const waiting = acquire()

  holder.kill('SIGKILL')

  await using _ = await waiting
  expect(existsSync(path)).toBe(true)
})

test('is not inherited by what its holder starts', async () => {
  const holder = run(`
    await lock()
    const { spawn } = await import('node:child_process')
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' })
    console.log(child.pid)
    setInterval(() => {}, 1000)`)
  const [output] = await once(holder.stdout ?? holder, 'data')
  const grandchild = Number(String(output))

  holder.kill('SIGKILL')

  await using _ = await acquire()
  expect(process.kill(grandchild)).toBe(true)
})

test('admits one of five processes at a time, although each removes the file', async () => {
  const marker = JSON.stringify(join(folder, 'inside'))
  const contenders = Array.from({ length: 5 }, () =>
    run(`
      const { closeSync, openSync, unlinkSync } = await import('node:fs')
      for (let round = 0; round < 40; round += 1) {
        const held = await lock()
        closeSync(openSync(${marker}, 'wx'))
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 3))
        unlinkSync(${marker})
        await held[Symbol.asyncDispose]()
      }`),
  )

  const ends = await Promise.all(contenders.map((child) => once(child, 'exit')))

  expect(ends).toEqual(Array.from({ length: 5 }, () => [0, null]))
  expect(existsSync(path)).toBe(false)
})

function acquire(options: Partial<Parameters<typeof acquireFileLock>[1]> = {}) {
  return acquireFileLock(path, { what: 'someone', timeoutMs: 9000, ...options })
}

/** Runs code in another process, where `lock()` acquires the lock of this test. */
function run(code: string): ChildProcess {
  const text = `
    import { acquireFileLock } from ${JSON.stringify(MODULE)}
    const lock = () => acquireFileLock(${JSON.stringify(path)}, {
      what: 'someone', timeoutMs: 9000, intervalMs: 1,
    })
    ${code}`
  const child = spawn(process.execPath, ['--input-type=module', '-e', text], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}
