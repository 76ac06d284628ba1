import { expect, test } from 'vitest'
import type { Driver } from '../../../src/control-plane/driver/driver.ts'
import type { Operation } from '../../../src/control-plane/driver/operation.ts'
import type { Plane } from '../../../src/control-plane/plane/plane.ts'

interface PauseWorld {
  driver: Driver
  /** It runs. */
  plane: Plane
  create: (name: string) => Promise<Plane>
  operation: () => Operation
}

/** The part of the contract of drivers that is about planes that pause themselves. */
export function describePauses(worldOf: () => PauseWorld): void {
  test('lets a plane pause itself while nobody uses it, and does not start it because it is created again', async () => {
    const { create, driver, operation, plane } = worldOf()
    const since = new Date('2026-06-01T12:00:00Z')
    const pauseItself = (isIdle: boolean) => {
      const isStill = () => Promise.resolve(isIdle)
      return driver.pause(plane, operation(), { idle: { since, isStill } })
    }

    await pauseItself(false)
    const wasRunning = await driver.isRunning(plane)
    await pauseItself(true)
    const again = await create(plane.name)
    const status = await driver.status(plane)

    expect(wasRunning).toBe(true)
    expect(again).toMatchObject({ id: plane.id, desired: 'paused', idleSince: since })
    expect(status.phase).toBe('Paused')
    expect(status.reason).toContain(`nobody has used it since ${since.toISOString()}`)
  })
}
