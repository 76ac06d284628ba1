import { PassThrough } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { lullIn } from '../../../src/etcd/members/next-lull.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

/** What etcd tells of writes, and whether a lull was found in it. */
function listened() {
  const writes = new PassThrough()
  const found = lullIn(writes)
  let isFound = false
  void found.then(
    () => (isFound = true),
    () => {},
  )
  return {
    found,
    say: async (words: string) => {
      writes.write(words)
      await turn()
    },
    writes,
    isFoundAfter: async (milliseconds: number) => {
      vi.advanceTimersByTime(milliseconds)
      await turn()
      return isFound
    },
  }
}

test('finds a lull after a write that no other one follows, not among several', async () => {
  const { isFoundAfter, say } = listened()
  await say('begun')
  const seen: boolean[] = []
  for (let write = 0; write < 5; write += 1) {
    await say('write')
    seen.push(await isFoundAfter(9))
  }

  expect(seen).toEqual([false, false, false, false, false])
  expect(await isFoundAfter(1)).toBe(true)
})

test('a lull is a second without writes, not the first report of etcd', async () => {
  const { isFoundAfter, say } = listened()
  await say('begun')

  expect(await isFoundAfter(999)).toBe(false)
  expect(await isFoundAfter(1)).toBe(true)
})

test('stops waiting when etcd does not report writes any more', async () => {
  const { found, say, writes } = listened()
  await say('begun')
  await say('write')
  writes.end()

  await expect(found).resolves.toBeUndefined()
})

test('says what broke it off', async () => {
  const { found, writes } = listened()
  writes.destroy(new Error('gone'))

  await expect(found).rejects.toThrow('gone')
})
