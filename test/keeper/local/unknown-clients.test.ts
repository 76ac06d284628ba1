import { expect, test } from 'vitest'
import type { WakeStatus } from '../../../src/control-plane/status/wake-status.ts'
import { UnknownClients } from '../../../src/keeper/local/unknown-clients.ts'
import { Wakes } from '../../../src/keeper/wake/wakes.ts'
import { planeFolder } from '../../../src/drivers/local/store/plane-folder.ts'

const HOUR_MS = 3_600_000
const plane = { id: '1', name: 'dev' }

test('a plane stays awake for an hour when unknown clients woke it three times in vain', async () => {
  let now = new Date('2026-01-01T00:00:00Z')
  let status: WakeStatus = { count: 0, recent: [], watchers: [] }
  using clients = new UnknownClients(() => now)
  const wakes = new Wakes({
    boardOf: () => ({
      read: async () => status,
      write: async (next) => {
        status = next
      },
    }),
    clientsOf: () => clients.connectedTo(planeFolder('/planes/dev'), 6443),
    isPresent: clients.isPresent,
    report: () => {},
    now: () => now,
  })
  const sleeps = async () => {
    const fallAsleep = await wakes.mayFallAsleep(plane, { hasWrites: false })
    await fallAsleep?.()
    return fallAsleep !== undefined
  }
  const wake = async (from: number) => {
    const source = await clients.wakingFrom({ from, to: 6443 })
    await wakes.admit(plane, source)
    await wakes.woken(plane, { at: now, ms: 1000, ...(source && { source }) })
  }

  await wake(50_001)
  expect(await sleeps()).toBe(true)
  await wake(50_002)
  expect(await sleeps()).toBe(true)
  await wake(50_003)
  expect(await sleeps()).toBe(false)
  expect(status.staysAwake?.reason).toBe(
    'a program on this machine woke it three times within an hour and wrote nothing',
  )

  now = new Date(now.getTime() + HOUR_MS)
  expect(await sleeps()).toBe(true)
})
