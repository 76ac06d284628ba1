import { expect, test } from 'vitest'
import { changedSpec } from '../../../src/control-plane/changes/changed-spec.ts'
import type { Driver } from '../../../src/control-plane/driver/driver.ts'
import type { Operation } from '../../../src/control-plane/driver/operation.ts'
import type { ComponentName, Plane } from '../../../src/control-plane/plane/plane.ts'
import { specsOf } from '../../../src/control-plane/spec/plane-specs.ts'
import { scaledSpec } from '../../../src/control-plane/changes/scaled-spec.ts'
import { EXIT_CODES, VplaneError } from '../../../src/shared/errors.ts'
import { thrownBy } from '../thrown-by.ts'

/** A plane that runs, and what is done to it. */
interface ChangeWorld {
  driver: Driver
  plane: Plane
  operation: () => Operation
  kill: (plane: Plane, component: ComponentName) => Promise<void>
  putConfigMap: (plane: Plane, name: string) => Promise<void>
  hasConfigMap: (plane: Plane, name: string) => Promise<boolean>
  waitForPlane: (plane: Plane) => Promise<void>
}

/** The part of the contract of drivers that is about other specs, and about what is wrong with a plane. */
export function describeChanges(worldOf: () => ChangeWorld): void {
  test('says what a change would do, does that and no more, and takes a second time for done', async () => {
    const { driver, operation, plane, waitForPlane } = worldOf()
    const extraArgs = { v: '3' }
    const change = changedSpec(plane, { ...plane.userSpec, controllerManager: { extraArgs } })
    const plan = () => driver.plan(plane, change, operation().signal)
    const instances = async () => {
      const { components } = await driver.status(plane)
      return Object.fromEntries(components.map(({ instance, name }) => [name, instance]))
    }
    const before = await instances()

    const planned = await plan()
    const untouched = await instances()
    const changed = await driver.change(plane, change, operation())
    await waitForPlane(changed)
    const { 'kube-controller-manager': manager, ...others } = await instances()
    const left = await plan()
    await driver.change(plane, change, operation())
    const again = await instances()

    expect(planned.steps).toMatchObject([{ component: 'kube-controller-manager' }])
    expect(untouched).toEqual(before)
    expect(changed).toMatchObject(specsOf(change))
    expect(await driver.find(plane.name)).toMatchObject([specsOf(change)])
    expect(before).toMatchObject(others)
    expect(manager).not.toBe(before['kube-controller-manager'])
    expect(left.steps).toEqual([])
    expect(again).toEqual({ ...others, 'kube-controller-manager': manager })
  })

  test('has several of a component, or says at once that it cannot', async () => {
    const { driver, operation, plane: made } = worldOf()
    const plan = async () => {
      // The test before may have changed it.
      const [plane] = await driver.find(made.name)
      expect.assert(plane !== undefined && 'spec' in plane)
      const change = changedSpec(plane, scaledSpec(plane, { apiServer: 2 }))
      return driver.plan(plane, change, operation().signal)
    }

    if (driver.name === 'local') {
      const refusal = await plan().catch((error: unknown) => error)
      expect.assert(refusal instanceof VplaneError)
      expect(EXIT_CODES[refusal.code]).toBe(2)
      expect(refusal.message).toContain('one process of each')
    } else {
      expect(JSON.stringify((await plan()).steps)).toMatch(/kube-apiserver|everything/)
    }
  })

  test('refuses a number of members that tolerates no more failures than one less', () => {
    const { plane } = worldOf()

    const refusal = thrownBy(() => scaledSpec(plane, { etcd: 2 }))

    expect(EXIT_CODES[refusal.code]).toBe(2)
  })

  test('finds what is missing of a plane, and puts it back with all of its data', async () => {
    const { driver, hasConfigMap, kill, operation, plane, putConfigMap, waitForPlane } = worldOf()
    await putConfigMap(plane, 'repaired')

    await kill(plane, 'kube-controller-manager')
    const { faults } = await driver.diagnose(plane, operation().signal)
    const unshown = await driver.repair(plane, operation(), faults)
    await waitForPlane(plane)
    const after = await driver.diagnose(plane, operation().signal)

    expect(faults).toMatchObject([{ component: 'kube-controller-manager', remedy: 'start' }])
    expect(faults[0]?.reason).toMatch(/\w/)
    expect(unshown).toBeUndefined()
    expect(after).toEqual({ faults: [] })
    expect(await hasConfigMap(plane, 'repaired')).toBe(true)
  })
}
