import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { killDuring } from './kill-during.ts'

test('kills during the operation, and says what and when', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()

  const { killed, lastedMs } = await killDuring(() => promise, {
    afterMs: 20,
    strike: async () => {
      resolve()
      return 'etcd'
    },
  })

  expect(killed?.what).toBe('etcd')
  expect(killed?.atMs).toBeGreaterThanOrEqual(19)
  expect(killed?.atMs).toBeLessThanOrEqual(lastedMs + 1)
})

test('looks again for a victim that does not run yet', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  let looks = 0

  const { killed } = await killDuring(() => promise, {
    afterMs: 0,
    strike: async () => {
      looks += 1
      if (looks < 3) {
        return undefined
      }
      resolve()
      return 'syncer'
    },
  })

  expect(killed?.what).toBe('syncer')
})

test('counts nothing that would die after the operation', async () => {
  const struck: string[] = []

  const early = await killDuring(() => delay(10), {
    afterMs: 60_000,
    strike: async () => {
      struck.push('late')
      return 'late'
    },
  })
  const { promise, resolve } = Promise.withResolvers<void>()
  const meanwhile = await killDuring(() => promise, {
    afterMs: 0,
    strike: async (isOver) => {
      resolve()
      await delay(10)
      return isOver() ? undefined : 'late'
    },
  })

  expect(struck).toEqual([])
  expect(early.killed).toBeUndefined()
  expect(meanwhile.killed).toBeUndefined()
})

test('fails as the operation does', async () => {
  const failing = killDuring(() => Promise.reject(new Error('it ended badly')), {
    afterMs: 0,
    strike: () => Promise.resolve(undefined),
  })

  await expect(failing).rejects.toThrow('it ended badly')
})
