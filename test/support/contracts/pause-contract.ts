import { expect, test } from 'vitest'
import type { Driver } from '../../../src/control-plane/driver/driver.ts'
import type { Operation } from '../../../src/control-plane/driver/operation.ts'
import type { CreateRequest } from '../../../src/control-plane/driver/requests.ts'
import type { Plane } from '../../../src/control-plane/plane/plane.ts'

interface PauseWorld {
  driver: Driver
  /** It runs. */
  plane: Plane
  requestFor: (name: string) => CreateRequest
  waitForPlane: (plane: Plane) => Promise<void>
  operation: () => Operation
}

/** The part of the contract of drivers that is about planes that pause themselves, or were created paused. */
export function describePauses(worldOf: () => PauseWorld): void {
  test('lets a plane pause itself while nobody uses it, and does not start it because it is created again', async () => {
    const { driver, operation, plane, requestFor } = worldOf()
    const since = new Date('2026-06-01T12:00:00Z')
    const pauseItself = (isIdle: boolean) => {
      const isStill = () => Promise.resolve(isIdle)
      return driver.pause(plane, operation(), { idle: { since, isStill } })
    }

    await pauseItself(false)
    const wasRunning = await driver.isRunning(plane)
    await pauseItself(true)
    const again = await driver.create(requestFor(plane.name), operation())
    const status = await driver.status(plane)

    expect(wasRunning).toBe(true)
    expect(again).toMatchObject({ id: plane.id, desired: 'paused', idleSince: since })
    expect(status.phase).toBe('Paused')
    expect(status.reason).toContain(`nobody has used it since ${since.toISOString()}`)
  })

  test('creates a paused plane with its keys and nothing that runs, and starts it when it is created again', async () => {
    const { driver, operation, requestFor, waitForPlane } = worldOf()
    const request = requestFor('unused')
    const paused = { ...request, isPaused: true }

    const made = await driver.create(paused, operation())
    const again = await driver.create(paused, operation())
    await driver.pause(made, operation())
    const [found] = await driver.find('unused')
    const status = await driver.status(made)
    const keys = await driver.keys(made, operation().signal)
    const started = await driver.create(request, operation())
    await waitForPlane(started)

    const unused = { id: made.id, desired: 'paused', neverStarted: true }
    expect([made, again, found]).toMatchObject([unused, unused, unused])
    expect(status).toMatchObject({
      phase: 'Paused',
      reason: 'it was never started; any use of its context starts it',
    })
    expect(new Set(status.components.map(({ state }) => state))).toEqual(new Set(['stopped']))
    expect(started).toMatchObject({ id: made.id, desired: 'running' })
    expect(started.neverStarted).toBeUndefined()
    expect(await driver.keys(started, operation().signal)).toEqual(keys)
    expect(await driver.remove(started, operation())).toEqual([])
  })
}
