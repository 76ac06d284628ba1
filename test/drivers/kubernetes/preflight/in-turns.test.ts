import { expect, test } from 'vitest'
import { inTurns } from '../../../../src/drivers/kubernetes/preflight/in-turns.ts'
import { MemoryHostApi } from '../../../support/api/memory-host-api.ts'

test('limits concurrent requests, and sends all of them in the end', async () => {
  let running = 0
  let most = 0
  const host = new MemoryHostApi({
    onRequest: async ({ path }) => {
      running += 1
      most = Math.max(most, running)
      await new Promise(setImmediate)
      running -= 1
      if (path.endsWith('3')) {
        throw new Error('broken')
      }
    },
  })
  const api = inTurns(host, 2)

  const outcomes = await Promise.allSettled(
    Array.from({ length: 9 }, (_, index) => api.get(`/x/${index}`)),
  )

  expect(most).toBe(2)
  expect(host.requests).toHaveLength(9)
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(1)
})
