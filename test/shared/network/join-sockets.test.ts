import { once } from 'node:events'
import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { joinSockets } from '../../../src/shared/network/join-sockets.ts'
import { connectedPair } from './connected-pair.ts'

const MEGABYTE = 1024 * 1024
const NOTHING = Buffer.alloc(0)

test('carries both directions, beginning with what was there before', async () => {
  const [one, other] = await pairs()
  joinSockets(
    { socket: one.near, head: Buffer.from('first ') },
    { socket: other.near, head: Buffer.from('erst ') },
    { lingerMs: 1000 },
  )

  one.far.end('then')
  other.far.end('dann')

  expect(await text(other.far)).toBe('first then')
  expect(await text(one.far)).toBe('erst dann')
})

test('lets one direction continue when the other has ended', async () => {
  const [one, other] = await pairs()
  join(one.near, other.near, 5000)

  one.far.end('all')
  expect(await text(other.far)).toBe('all')
  await delay(50)
  other.far.end('late')

  expect(await text(one.far)).toBe('late')
})

test('bears no endless silence when one direction has ended', async () => {
  const [one, other] = await pairs()
  join(one.near, other.near, 50)

  one.far.end('all')

  await Promise.all([once(one.near, 'close'), once(other.near, 'close')])
})

test('waits for a slow reader that has said all', async () => {
  const [one, other] = await pairs()
  join(one.near, other.near, 250)

  other.far.end(Buffer.alloc(20 * MEGABYTE, 'x'))
  // On a busy machine the first byte could take longer than the linger time.
  await expect.poll(() => one.near.writableLength).toBeGreaterThan(0)
  one.far.end()
  await delay(900)

  expect((await text(one.far)).length).toBe(20 * MEGABYTE)
})

test('waits for a slow reader when all is said to it, whatever HTTP thinks', async () => {
  const [one, other] = await pairs()
  one.near.on('timeout', () => one.near.destroy())
  const head = Buffer.alloc(20 * MEGABYTE, 'x')
  joinSockets({ socket: one.near, head: NOTHING }, { socket: other.near, head }, { lingerMs: 100 })

  const closed = once(one.near, 'close')

  other.far.end()
  await delay(400)

  expect((await text(one.far)).length).toBe(20 * MEGABYTE)
  await closed
})

test('gives all that was said by a side that is gone', async () => {
  const [one, other] = await pairs()
  join(one.near, other.near, 1000)

  one.far.end()
  other.far.end(Buffer.alloc(MEGABYTE / 4, 'x'))
  await once(other.near, 'close')
  await delay(50)

  expect((await text(one.far)).length).toBe(MEGABYTE / 4)
})

test('loses nothing of a side that is gone when the other one sends before it has read all', async () => {
  const [one, other] = await pairs()
  // More than the other side's kernel takes while nothing is read there.
  const all = Buffer.alloc(MEGABYTE, 'x')
  join(one.near, other.near, 60_000)

  other.far.end(all)
  await once(other.near, 'end')
  await expect.poll(() => one.near.writableFinished).toBe(true)
  other.far.resetAndDestroy()
  one.far.write('first ping')
  await expect.poll(() => other.near.destroyed).toBe(true)
  one.far.write('second ping')
  await delay(50)

  expect((await text(one.far)).length).toBe(all.length)
})

test.for(['reset', 'destroyed'] as const)('breaks when one side is %s', async (way) => {
  const [one, other] = await pairs()
  join(one.near, other.near, 60_000)
  const closed = once(other.near, 'close')

  if (way === 'reset') {
    one.far.resetAndDestroy()
  } else {
    one.near.destroy()
  }

  await closed
})

test('joins nobody with a side that has gone already', async () => {
  const [one, other] = await pairs()
  one.near.destroy()
  await once(one.near, 'close')

  join(one.near, other.near, 60_000)

  await once(other.near, 'close')
})

test('passes on an end that came before it began', async () => {
  const [one, other] = await pairs()
  one.far.end()
  await once(one.near.resume(), 'end')

  join(one.near, other.near, 50)

  expect(await text(other.far)).toBe('')
  await once(other.near, 'close')
})

function join(one: Socket, other: Socket, lingerMs: number): void {
  joinSockets({ socket: one, head: NOTHING }, { socket: other, head: NOTHING }, { lingerMs })
}

/** Two connections, which end with the test. */
async function pairs() {
  return [await connectedPair(), await connectedPair()] as const
}
