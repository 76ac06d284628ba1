import { expect, test } from 'vitest'
import type { Driver } from '../../../src/control-plane/driver/driver.ts'
import type { Operation } from '../../../src/control-plane/driver/operation.ts'
import type { Plane } from '../../../src/control-plane/plane/plane.ts'
import type { RotationStage } from '../../../src/control-plane/rotation/rotation.ts'
import { VplaneError } from '../../../src/shared/errors.ts'
import { rejectionOf } from '../thrown-by.ts'

/** A plane that runs, and what is done to it. */
interface RotationWorld {
  driver: Driver
  plane: Plane
  operation: () => Operation
  waitForPlane: (plane: Plane, options: { isUnderWay: true }) => Promise<void>
}

const GONE_ON = {
  code: 'FAILED',
  message: expect.stringContaining('another vplane has continued the rotation'),
}

/** The part of the contract of drivers that is about rotations. */
export function describeRotation(worldOf: () => RotationWorld): void {
  test('takes each stage of a rotation once, serves after it, and continues an interrupted one', async () => {
    const { driver, operation, plane, waitForPlane } = worldOf()
    const keys = 'service-account-key'
    const progress: unknown[] = []
    const refusals: PromiseRejectedResult[] = []
    const rotate = (stage: RotationStage, untilSettled: () => Promise<void>) =>
      driver.certificates.rotate(plane, { keys, stage, untilSettled }, operation())
    const look = async () => progress.push(await driver.certificates.rotation(plane, keys))
    const death = new VplaneError('ABORTED', 'cut off')

    for (const stage of ['prepare', 'switch'] as const) {
      const twice = [1, 2].map(() => rotate(stage, () => waitForPlane(plane, { isUnderWay: true })))
      refusals.push(...(await Promise.allSettled(twice)).filter(isRejected))
      await look()
    }
    const drop = { keys, stage: 'complete', untilSafe: () => Promise.reject(death) } as const
    const unsafe = await rejectionOf(driver.certificates.rotate(plane, drop, operation()))
    await look()
    const cutOff = await rejectionOf(rotate('complete', () => Promise.reject(death)))
    await look()
    await rotate('complete', () => waitForPlane(plane, { isUnderWay: true }))
    await look()

    expect(refusals.map(({ reason }) => reason)).toMatchObject([GONE_ON, GONE_ON])
    expect([unsafe, cutOff]).toEqual([death, death])
    expect(progress).toEqual([
      { taken: 'prepare' },
      { taken: 'switch' },
      { taken: 'switch' },
      { unfinished: { keys, stage: 'complete' } },
      {},
    ])
  })
}

function isRejected(result: PromiseSettledResult<void>): result is PromiseRejectedResult {
  return result.status === 'rejected'
}
