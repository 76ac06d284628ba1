import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { takeTurn } from '../../../src/compose/launcher/take-turn.ts'
import { tryFileLock } from '../../../src/shared/files/file-lock.ts'
import { isFileLocked } from '../../../src/shared/files/is-file-locked.ts'
import { temporaryFolder } from '../../support/machine/temporary-folder.ts'

const { signal } = new AbortController()

async function files() {
  const folder = await temporaryFolder()
  onTestFinished(() => folder[Symbol.asyncDispose]())
  return { lock: join(folder.path, 'lock'), next: join(folder.path, 'next') }
}

test('takes a lock that is free, and leaves the other', async () => {
  const { lock, next } = await files()

  await using held = await takeTurn({ lock, next, waitMs: 0, signal })

  expect(held).toBeDefined()
  expect(isFileLocked(lock)).toBe(true)
  expect(isFileLocked(next)).toBe(false)
})

test('follows the keeper that runs, and shows meanwhile that it waits', async () => {
  const { lock, next } = await files()
  const running = tryFileLock(lock)
  const turn = takeTurn({ lock, next, waitMs: 10_000, signal })
  await expect.poll(() => isFileLocked(next)).toBe(true)

  await running?.[Symbol.asyncDispose]()

  await using held = await turn
  expect(held).toBeDefined()
  expect(isFileLocked(lock)).toBe(true)
  expect(isFileLocked(next)).toBe(false)
})

test('waits for the one that waits already', async () => {
  const { lock, next } = await files()
  const running = tryFileLock(lock)
  const first = takeTurn({ lock, next, waitMs: 10_000, signal })
  await expect.poll(() => isFileLocked(next)).toBe(true)
  const second = takeTurn({ lock, next, waitMs: 10_000, signal })

  await running?.[Symbol.asyncDispose]()

  await using held = await first
  expect(held).toBeDefined()
  await expect.poll(() => isFileLocked(next)).toBe(true)
  await held?.[Symbol.asyncDispose]()
  await using follows = await second
  expect(follows).toBeDefined()
})

test('takes no turn when another one waits for too long', async () => {
  const { lock, next } = await files()
  await using _running = tryFileLock(lock)
  await using _waiting = tryFileLock(next)

  expect(await takeTurn({ lock, next, waitMs: 50, signal })).toBeUndefined()
})

test('waits longer than that for a keeper that ends', async () => {
  const { lock, next } = await files()
  const running = tryFileLock(lock)
  const turn = takeTurn({ lock, next, waitMs: 50, signal })
  await delay(200)

  await running?.[Symbol.asyncDispose]()

  await using held = await turn
  expect(held).toBeDefined()
})

test.for([
  ['it is not to wait', 0, signal],
  ['it is stopped', 10_000, AbortSignal.timeout(50)],
] as const)('takes no turn when %s', async ([, waitMs, stop]) => {
  const { lock, next } = await files()
  await using _running = tryFileLock(lock)

  expect(await takeTurn({ lock, next, waitMs, signal: stop })).toBeUndefined()
  expect(isFileLocked(next)).toBe(false)
})
