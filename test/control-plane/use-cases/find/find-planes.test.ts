import { expect, test } from 'vitest'
import { findPlanes } from '../../../../src/control-plane/use-cases/find/find-planes.ts'
import { resolvePlane } from '../../../../src/control-plane/use-cases/find/resolve-plane.ts'
import { VplaneError } from '../../../../src/shared/errors.ts'
import { FakeComposition } from '../../../support/driver/fake-composition.ts'
import { FakeDriver } from '../../../support/driver/fake-driver.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'

/** A machine with a plane `here`, and a host cluster with a plane `there`. */
async function bothDrivers() {
  const local = new FakeDriver()
  const kubernetes = new FakeDriver({ name: 'kubernetes', hostContext: 'work' })
  const world = new FakeComposition({ drivers: [kubernetes, local] })
  await world.plane('here', { driver: local })
  await world.plane('there', { driver: kubernetes, namespace: 'team' })
  return { kubernetes, local, world }
}

const UNREACHABLE = new VplaneError('UNREACHABLE', 'cannot reach https://work:6443\nat all')

test('finds every plane that fits, in all drivers', async () => {
  const { kubernetes, world } = await bothDrivers()
  await world.plane('here', { driver: kubernetes })

  const found = await findPlanes(world, { name: 'here' })

  expect(found.map(({ driver }) => driver.name)).toEqual(['kubernetes', 'local'])
})

test('skips a failing host cluster when the plane is here, with a note of one line', async () => {
  const { kubernetes, local, world } = await bothDrivers()
  kubernetes.failure = UNREACHABLE

  const { driver } = await resolvePlane(world, { name: 'here' })

  expect(driver).toBe(local)
  expect(world.ui.notes).toEqual([
    'The host cluster was not searched: cannot reach https://work:6443; to skip it: --driver local',
  ])
})

test('gives a silent host cluster no more than its time when the plane is here', async () => {
  const { kubernetes, local, world } = await bothDrivers()
  kubernetes.isSilent = true

  const { driver } = await resolvePlane(world, { name: 'here' }, { hostPatienceMs: 40 })

  expect(driver).toBe(local)
  expect(world.ui.notes).toEqual([expect.stringContaining('no answer within 0 s')])
})

test('fails with what the host cluster failed with when nothing is here', async () => {
  const { kubernetes, world } = await bothDrivers()
  kubernetes.failure = UNREACHABLE

  expect(await rejectionOf(resolvePlane(world, { name: 'there' }))).toBe(UNREACHABLE)
  expect(world.ui.notes).toEqual([])
})

test('fails with what this machine failed with', async () => {
  const { local, world } = await bothDrivers()
  local.failure = new VplaneError('FAILED', 'the disk is gone')

  expect((await rejectionOf(findPlanes(world, { name: 'there' }))).message).toBe('the disk is gone')
})

test('does not ask the host cluster for a plane of the local driver, known or not', async () => {
  const { kubernetes, local, world } = await bothDrivers()
  kubernetes.failure = UNREACHABLE

  const { driver } = await resolvePlane(world, { name: 'here', driver: 'local' })
  const error = await rejectionOf(resolvePlane(world, { name: 'other', driver: 'local' }))

  expect(driver).toBe(local)
  expect(error.code).toBe('CONTROL_PLANE_NOT_FOUND')
  expect(world.ui.notes).toEqual([])
})

test.for([
  [{ namespace: 'team' }, ['there']],
  [{ hostContext: 'work' }, ['there']],
  [{ driver: 'kubernetes' }, ['there']],
  [{ namespace: 'other' }, []],
  [{ hostContext: 'play' }, []],
] as const)('does not search this machine for %j, and finds %j', async ([selector, names]) => {
  const { local, world } = await bothDrivers()
  local.failure = new Error('was asked')

  const found = await findPlanes(world, { name: 'there', ...selector })

  expect(found).toMatchObject(names.map((name) => ({ plane: { name, namespace: 'team' } })))
})

test.for([
  [{ namespace: 'team' }, '--namespace'],
  [{ hostContext: 'work' }, '--host-context'],
] as const)('refuses %j for a plane of this machine', async ([selector, flag]) => {
  const { world } = await bothDrivers()

  const looking = findPlanes(world, { name: 'here', driver: 'local', ...selector })

  expect(await rejectionOf(looking)).toMatchObject({
    code: 'USAGE',
    hints: [`leave out ${flag}`, 'or: leave out --driver'],
  })
})

test('has similar names to offer although the host cluster has stopped answering', async () => {
  const { kubernetes, world } = await bothDrivers()
  const find = kubernetes.find.bind(kubernetes)
  kubernetes.find = async (...args) => {
    const found = await find(...args)
    kubernetes.failure = UNREACHABLE
    return found
  }

  const error = await rejectionOf(resolvePlane(world, { name: 'her' }))

  expect(error.hints).toEqual(['did you mean "here"?'])
})
