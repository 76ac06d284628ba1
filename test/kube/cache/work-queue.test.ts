import { expect, test } from 'vitest'
import { WorkQueue } from '../../../src/kube/cache/work-queue.ts'
import { soon } from '../../support/soon.ts'

/** A queue whose work is held until it is let go. */
function heldQueue({ workers = 2, fails = new Map<string, number>() } = {}) {
  const log: string[] = []
  const gates = new Map<string, PromiseWithResolvers<void>>()
  const stop = new AbortController()
  const queue = new WorkQueue<string>({
    workers,
    retryMs: 1,
    work: async (key) => {
      log.push(`begin ${key}`)
      await gates.get(key)?.promise
      const left = fails.get(key) ?? 0
      if (left > 0) {
        fails.set(key, left - 1)
        throw new Error(`no ${key}`)
      }
      log.push(`end ${key}`)
    },
    onError: (key, error, failures) => log.push(`${String(error)} ${failures}`),
  })
  const ended = queue.run(stop.signal)
  return {
    log,
    queue,
    hold: (key: string) => gates.set(key, Promise.withResolvers<void>()),
    release: (key: string) => {
      gates.get(key)?.resolve()
      gates.delete(key)
    },
    [Symbol.asyncDispose]: async () => {
      gates.forEach((gate) => gate.resolve())
      stop.abort()
      await ended
    },
  }
}

const until = (condition: () => boolean) => soon('the queue', condition)

test('works once on a key that was added many times', async () => {
  await using held = heldQueue()
  held.queue.add('a')
  held.queue.add('a')
  held.queue.add('a')

  await until(() => held.queue.isIdle)

  expect(held.log).toEqual(['begin a', 'end a'])
})

test('works on keys for later when no other waits, and on none twice', async () => {
  await using held = heldQueue({ workers: 1 })
  held.hold('a')
  held.queue.add('a')
  await until(() => held.log.length === 1)

  const added = ['a', 'b', 'b', 'c'].map((key) => held.queue.addLater(key))
  held.queue.add('d')
  held.queue.add('c')
  held.release('a')
  await until(() => held.queue.isIdle)

  expect(added).toEqual([false, true, false, true])
  expect(held.log.filter((line) => line.startsWith('begin'))).toEqual([
    'begin a',
    'begin d',
    'begin c',
    'begin b',
  ])
})

test('comes back to a key that was added while it was worked on, and never works on it twice at a time', async () => {
  await using held = heldQueue()
  held.hold('a')
  held.queue.add('a')
  await until(() => held.log.length === 1)

  held.queue.add('a')
  held.queue.add('b')
  await until(() => held.log.includes('end b'))
  expect(held.log).toEqual(['begin a', 'begin b', 'end b'])
  held.release('a')
  await until(() => held.queue.isIdle)

  expect(held.log.slice(3)).toEqual(['end a', 'begin a', 'end a'])
})

test('tries again what failed, and tells how often it did', async () => {
  await using held = heldQueue({ fails: new Map([['a', 2]]) })
  held.queue.add('a')

  await until(() => held.queue.isIdle)

  const failures = ['begin a', 'Error: no a 1', 'begin a', 'Error: no a 2']
  expect(held.log).toEqual([...failures, 'begin a', 'end a'])
})

test('knows whether the last work on a key failed', async () => {
  await using held = heldQueue({ fails: new Map([['a', 1]]) })
  held.hold('a')
  held.queue.add('a')
  held.queue.add('b')
  await until(() => held.log.includes('end b'))

  held.release('a')
  held.hold('a')
  await until(() => held.log.filter((line) => line === 'begin a').length === 2)
  const failed = [held.queue.hasFailed('a'), held.queue.hasFailed('b')]
  held.release('a')
  await until(() => held.queue.isIdle)

  expect(failed).toEqual([true, false])
  expect(held.queue.hasFailed('a')).toBe(false)
})

test('works on as many keys at a time as it has workers', async () => {
  await using held = heldQueue({ workers: 3 })
  const keys = ['a', 'b', 'c', 'd']
  keys.forEach((key) => held.hold(key))
  keys.forEach((key) => held.queue.add(key))

  await until(() => held.log.length === 3)
  expect(held.queue.depth).toBe(1)
  held.release('b')

  await until(() => held.log.includes('begin d'))
})

test('brings what it does to its end when it stops, and begins nothing more', async () => {
  const held = heldQueue({ workers: 1 })
  held.hold('a')
  held.queue.add('a')
  held.queue.add('b')
  await until(() => held.log.length === 1)

  await held[Symbol.asyncDispose]()

  expect(held.log).toEqual(['begin a', 'end a'])
})

test('works on a key at the earlier of two times', async () => {
  await using held = heldQueue()
  held.queue.addIn('a', 60_000)
  held.queue.addIn('a', 1)
  held.queue.addIn('a', 60_000)

  await until(() => held.log.includes('end a'))

  expect(held.queue.isIdle).toBe(true)
})
