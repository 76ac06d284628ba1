import { expect, test } from 'vitest'
import type { DataFingerprint } from '../../../src/control-plane/plane/data-fingerprint.ts'
import type { Driver } from '../../../src/control-plane/driver/driver.ts'
import type { Operation } from '../../../src/control-plane/driver/operation.ts'
import type { Plane, PlaneReference } from '../../../src/control-plane/plane/plane.ts'
import type { HandOver } from '../../../src/control-plane/driver/plane-moves.ts'
import { VplaneError } from '../../../src/shared/errors.ts'
import { rejectionOf } from '../thrown-by.ts'

interface MoveWorld {
  driver: Driver
  /** Makes a plane, and waits until it can be used. */
  make: (name: string) => Promise<Plane>
  operation: () => Operation
  putConfigMap: (plane: Plane, name: string) => Promise<void>
  hasConfigMap: (plane: Plane, name: string) => Promise<boolean>
  waitForPlane: (plane: Plane) => Promise<void>
}

const THERE: PlaneReference = { name: 'leaving', driver: 'kubernetes', namespace: 'elsewhere' }

const HANDED: DataFingerprint = { keys: 7, sha256: 'ab' }

/** The part of the contract of drivers that is about planes that leave. */
export function describeMoves(worldOf: () => MoveWorld): void {
  test('is fenced while it leaves, comes back unless it was handed over, and never after', async () => {
    const { driver, hasConfigMap, make, operation, putConfigMap, waitForPlane } = worldOf()
    const { moves } = driver
    const plane = await make('leaving')
    const fingerprint = () => moves.fingerprint(plane, operation().signal)
    const seen: DataFingerprint[] = []
    const back = { takeBack: () => Promise.reject(death), undo: () => Promise.resolve() }
    const death = new VplaneError('ABORTED', 'cut off')
    let hasBegun = false
    const leave = (then: (handOver: HandOver) => Promise<void>) =>
      moves.leave(
        plane,
        {
          to: THERE,
          hasBegun: () => Promise.resolve(hasBegun),
          transfer: async (handOver) => {
            seen.push(await fingerprint())
            await then(handOver)
          },
        },
        operation(),
      )
    await putConfigMap(plane, 'before')

    const cutOff = await rejectionOf(leave(() => Promise.reject(death)))
    const refusals = await Promise.all(
      [driver.start(plane, operation()), driver.pause(plane, operation())].map(rejectionOf),
    )
    const fenced = await driver.status(plane)
    await moves.return(plane, back, operation())
    await waitForPlane(plane)
    const isThere = await hasConfigMap(plane, 'before')
    await putConfigMap(plane, 'after')
    await leave((handOver) => handOver('another one', HANDED))
    await leave((handOver) => handOver('its heir', HANDED))
    hasBegun = true
    await leave(() => Promise.reject(death))
    const [stored] = await driver.find('leaving')
    const tooLate = await rejectionOf(moves.return(plane, back, operation()))
    const leftovers = await driver.remove(plane, operation())

    expect(cutOff).toBe(death)
    expect(refusals.map(({ message }) => message)).toEqual(
      refusals.map(() => expect.stringContaining('"leaving" is fenced: it is being moved to')),
    )
    expect(fenced).toMatchObject({ phase: 'Fenced' })
    expect(isThere).toBe(true)
    expect(seen).toHaveLength(3)
    expect(seen[0]?.keys).toBeGreaterThan(0)
    expect(seen[0]?.sha256).not.toBe(seen[1]?.sha256)
    expect(stored).toMatchObject({ movingTo: { to: THERE, handedTo: 'its heir', handed: HANDED } })
    expect(tooLate).toBe(death)
    expect(leftovers).toEqual([])
  })

  test('comes back paused when it was paused', async () => {
    const { driver, hasConfigMap, make, operation, putConfigMap, waitForPlane } = worldOf()
    const plane = await make('paused')
    await putConfigMap(plane, 'before')
    await driver.pause(plane, operation())
    const leaving = driver.moves.leave(
      plane,
      {
        to: THERE,
        hasBegun: () => Promise.resolve(false),
        transfer: () => Promise.reject(new VplaneError('ABORTED', 'cut off')),
      },
      operation(),
    )
    await rejectionOf(leaving)
    const undo = () => Promise.resolve()
    await driver.moves.return(plane, { takeBack: undo, undo }, operation())
    const { phase } = await driver.status(plane)
    await driver.start(plane, operation())
    await waitForPlane(plane)
    const isThere = await hasConfigMap(plane, 'before')
    await driver.remove(plane, operation())

    expect(phase).toBe('Paused')
    expect(isThere).toBe(true)
  })
}
