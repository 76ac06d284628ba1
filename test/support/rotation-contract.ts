import { expect, test } from 'vitest'
import type { Driver, Operation } from '../../src/control-plane/driver.ts'
import type { Plane } from '../../src/control-plane/plane.ts'
import type { RotationStage } from '../../src/control-plane/rotation.ts'
import { VplaneError } from '../../src/shared/errors.ts'
import { rejectionOf } from './thrown-by.ts'

/** A plane that runs, and what is done to it. */
interface RotationWorld {
  driver: Driver
  plane: Plane
  operation: () => Operation
  waitForPlane: (plane: Plane) => Promise<void>
}

/** The part of the contract of drivers that is about rotations. */
export function describeRotation(worldOf: () => RotationWorld): void {
  test('takes the stages of a rotation one by one, serves after each, and goes on with one cut off', async () => {
    const { driver, operation, plane, waitForPlane } = worldOf()
    const keys = 'service-account-key'
    const progress: unknown[] = []
    const rotate = (stage: RotationStage, untilSettled: () => Promise<void>) =>
      driver.certificates.rotate(plane, { keys, stage, untilSettled }, operation())
    const look = async () => progress.push(await driver.certificates.rotation(plane, keys))
    const death = new VplaneError('ABORTED', 'cut off')

    for (const stage of ['prepare', 'switch'] as const) {
      await rotate(stage, () => waitForPlane(plane))
      await look()
    }
    const cutOff = await rejectionOf(rotate('complete', () => Promise.reject(death)))
    await look()
    await rotate('complete', () => waitForPlane(plane))
    await look()

    expect(cutOff).toBe(death)
    expect(progress).toEqual([
      { taken: 'prepare' },
      { taken: 'switch' },
      { unfinished: { keys, stage: 'complete' } },
      {},
    ])
  })
}
