import { expect, test } from 'vitest'
import { waitFor } from '../../src/shared/wait.ts'
import { etcdProcesses } from './etcd-processes.ts'

const TIMEOUT_MS = 60_000
const ALL = [0, 1, 2]
const KEYS = ['a', 'b', 'c', 'd', 'e']

// What repair stands on where etcd has lost its majority, and no documentation promises.
test('etcd that was killed and is alone says by metrics what it knows, and one empty member makes its whole log count', async () => {
  await using etcd = await etcdProcesses()
  await Promise.all(ALL.map((ordinal) => etcd.start(ordinal, ALL, 'new')))
  for (const key of KEYS) {
    await expect.poll(() => etcd.put(key), { timeout: TIMEOUT_MS }).toBe(true)
  }
  await etcd.killAll()

  await etcd.start(0, ALL)
  // It answers before it has applied the part of its log that it knows as committed.
  const alone = await waitFor(
    async () => {
      const status = await etcd.status(0)
      return status !== undefined && status.revision > 1 && status
    },
    { what: 'what its log contains', timeoutMs: TIMEOUT_MS },
  )
  const isServing = await etcd.put('f')
  etcd.wipe(1)
  await etcd.start(1, ALL)

  expect(alone.revision).toBeLessThanOrEqual(KEYS.length + 1)
  expect(isServing).toBe(false)
  await expect.poll(() => etcd.keys(), { timeout: TIMEOUT_MS }).toEqual(KEYS)
})
