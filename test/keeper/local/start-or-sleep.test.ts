import { expect, test } from 'vitest'
import type { Driver } from '../../../src/control-plane/driver/driver.ts'
import { startOrSleep } from '../../../src/keeper/local/start-or-sleep.ts'
import { storedPlane } from '../../support/driver/some-planes.ts'

const OPERATION = { signal: new AbortController().signal, warn: () => {} }
const SINCE = new Date('2026-06-01T12:00:00Z')

test.for([
  { isRunning: false, outcome: 'falls asleep again' },
  { isRunning: true, outcome: 'is left as it is when someone else has started it' },
])('a plane that cannot be started $outcome', async ({ isRunning }) => {
  const plane = storedPlane('dev', { desired: 'paused', idleSince: SINCE })
  const pauses: unknown[] = []
  const driver = {
    find: async () => [plane],
    isRunning: async () => isRunning,
    start: () => Promise.reject(new Error('etcd has ended')),
    pause: async (...[paused, , { idle } = {}]: Parameters<Driver['pause']>) => {
      pauses.push([paused.name, idle?.since, await idle?.isStill()])
    },
  }

  await expect(startOrSleep(driver, plane, OPERATION)).rejects.toThrow('etcd')

  expect(pauses).toEqual([['dev', SINCE, !isRunning]])
})

test('a plane that was never started sleeps again when it cannot be started', async () => {
  const plane = storedPlane('dev', { desired: 'paused', neverStarted: true, createdAt: SINCE })
  const pauses: unknown[] = []
  const driver = {
    find: async () => [plane],
    isRunning: async () => false,
    start: () => Promise.reject(new Error('etcd has ended')),
    pause: async (...[, , { idle } = {}]: Parameters<Driver['pause']>) => {
      pauses.push(idle?.since)
    },
  }

  await expect(startOrSleep(driver, plane, OPERATION)).rejects.toThrow('etcd')

  expect(pauses).toEqual([SINCE])
})
