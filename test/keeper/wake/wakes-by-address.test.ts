import { expect, test } from 'vitest'
import type { WakeStatus } from '../../../src/control-plane/status/wake-status.ts'
import { wakesByAddress } from '../../../src/keeper/wake/wakes-by-address.ts'

const HOUR_MS = 3_600_000
const plane = { id: '1', name: 'dev' }
const source = { id: '10.0.0.9', name: '10.0.0.9' }

test('a plane stays awake for an hour when one address woke it three times in vain', async () => {
  let ms = Date.parse('2026-06-01T12:00:00Z')
  let status: WakeStatus = { count: 0, recent: [], watchers: [] }
  const events: string[] = []
  const wakes = wakesByAddress({
    boardOf: () => ({
      read: async () => status,
      write: async (next) => {
        status = next
      },
    }),
    report: ({ name }, { message, reason }) => events.push(`${name}: ${reason}: ${message}`),
    now: () => new Date(ms),
    elapsedMs: () => ms,
  })
  const sleeps = async () => {
    const fallAsleep = await wakes.mayFallAsleep(plane, { hasWrites: false })
    await fallAsleep?.()
    return fallAsleep !== undefined
  }
  const sleepsAfterWake = async () => {
    await wakes.admit(plane, source)
    wakes.begin(plane, { at: new Date(ms), source })
    await wakes.ended(plane)
    ms += 60_000
    return sleeps()
  }

  const slept = [await sleepsAfterWake(), await sleepsAfterWake(), await sleepsAfterWake()]
  const { staysAwake } = status
  ms += HOUR_MS - 1
  slept.push(await sleeps())
  ms += 1
  slept.push(await sleeps())

  expect(slept).toEqual([true, true, false, false, true])
  const reason = '10.0.0.9 woke it three times within an hour and wrote nothing'
  expect(staysAwake).toEqual({ since: new Date(ms - HOUR_MS), reason, source })
  expect(events.filter((event) => event.includes('StaysAwake'))).toEqual([
    `dev: StaysAwake: ${reason}`,
  ])
  expect(status).not.toHaveProperty('staysAwake')
})
