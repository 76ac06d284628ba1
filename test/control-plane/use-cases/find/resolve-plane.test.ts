import { expect, test } from 'vitest'
import { referenceOf } from '../../../../src/control-plane/plane/plane.ts'
import { listControlPlanes } from '../../../../src/control-plane/use-cases/find/list-control-planes.ts'
import {
  findPlane,
  resolvePlane,
} from '../../../../src/control-plane/use-cases/find/resolve-plane.ts'
import { FakeComposition } from '../../../support/driver/fake-composition.ts'
import { FakeDriver } from '../../../support/driver/fake-driver.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'

/** A machine that can run planes in both ways. */
function bothDrivers() {
  const local = new FakeDriver()
  const kubernetes = new FakeDriver({ name: 'kubernetes', hostContext: 'work' })
  return { local, kubernetes, world: new FakeComposition({ drivers: [kubernetes, local] }) }
}

/** The same with planes `dev` on it, and in two namespaces of its host. */
async function threePlanes() {
  const drivers = bothDrivers()
  const { kubernetes, local, world } = drivers
  await world.plane('dev', { driver: local })
  await world.plane('dev', { driver: kubernetes, namespace: 'a' })
  await world.plane('dev', { driver: kubernetes, namespace: 'b' })
  return drivers
}

test('finds the one plane of a name in whichever driver has it', async () => {
  const { kubernetes, local, world } = bothDrivers()
  const here = await world.plane('here', { driver: local })
  const there = await world.plane('there', { driver: kubernetes })

  expect(await resolvePlane(world, { name: 'here' })).toEqual({ driver: local, plane: here })
  expect(await resolvePlane(world, { name: 'there' })).toEqual({ driver: kubernetes, plane: there })
})

test('lists where the planes are when several have the name', async () => {
  const { world } = await threePlanes()

  const error = await rejectionOf(resolvePlane(world, { name: 'dev' }))

  expect(error).toMatchObject({ code: 'USAGE', exitCode: 2 })
  expect(error.message).toBe(
    'several control planes are named "dev": driver kubernetes, namespace a, host context work; driver kubernetes, namespace b, host context work; driver local',
  )
  expect(error.hints).toEqual(['--namespace a', '--namespace b', '--driver local'])
})

test('returns the plane that the flags select', async () => {
  const { world } = await threePlanes()

  const byDriver = await resolvePlane(world, { name: 'dev', driver: 'local' })
  const byNamespace = await resolvePlane(world, { name: 'dev', namespace: 'b' })

  expect(byDriver.plane.driver).toBe('local')
  expect(byNamespace.plane).toMatchObject({ driver: 'kubernetes', namespace: 'b' })
})

test.for([
  ['unknown', [], ['vplane list', 'vplane create unknown']],
  ['de', ['dev'], ['did you mean "dev"?']],
  ['develop', ['dev'], ['did you mean "dev"?']],
  ['dov', ['dev', 'production'], ['did you mean "dev"?']],
  ['dav', ['dev', 'div', 'dov', 'dov-2', 'duv'], ['did you mean "dev", "div", "dov"?']],
  ['vde', ['dev'], ['vplane list', 'vplane create vde']],
] as const)('has for the unknown name %s among %j a hint', async ([name, planes, hints]) => {
  const world = new FakeComposition()
  for (const plane of planes) {
    await world.plane(plane)
  }

  const error = await rejectionOf(resolvePlane(world, { name }))

  expect(error).toMatchObject({ code: 'CONTROL_PLANE_NOT_FOUND', exitCode: 3 })
  expect(error.message).toBe(`no control plane named "${name}"`)
  expect(error.hints).toEqual(hints)
})

test('does not find a plane by a namespace it is not in', async () => {
  const { world } = await threePlanes()

  const error = await rejectionOf(resolvePlane(world, { name: 'dev', namespace: 'c' }))

  expect(error.code).toBe('CONTROL_PLANE_NOT_FOUND')
})

test.for(['', '..', 'Dev', '../dev'])('searches nowhere for %j, which is no name', async (name) => {
  const { kubernetes, local, world } = bothDrivers()
  kubernetes.failure = new Error('was asked')
  local.failure = new Error('was asked')

  expect((await rejectionOf(findPlane(world, { name }))).code).toBe('INVALID_NAME')
})

test('lets a plane that cannot be read be found, and no more', async () => {
  const world = new FakeComposition()
  await world.driver.damage(await world.plane('dev'))

  const found = await findPlane(world, { name: 'dev' })
  const error = await rejectionOf(resolvePlane(world, { name: 'dev' }))

  expect(found.plane).toEqual({ name: 'dev', driver: 'local', reason: 'plane.json is damaged' })
  expect(error).toMatchObject({ code: 'FAILED', hints: ['vplane delete dev'] })
  expect(error.message).toContain('"dev" cannot be read: plane.json is damaged')
})

test('shows how to create a plane again of which only the data is kept', async () => {
  const world = new FakeComposition({ drivers: [new FakeDriver({ name: 'kubernetes' })] })
  const plane = await world.plane('dev', { namespace: 'team' })
  world.driver.inside(plane).stored = { ...referenceOf(plane), reason: 'deleted', isKept: true }

  const [listed] = await listControlPlanes(world)
  const error = await rejectionOf(resolvePlane(world, { name: 'dev' }))

  expect(listed?.status).toMatchObject({ phase: 'Kept', reason: 'deleted' })
  expect(error).toMatchObject({ code: 'CONTROL_PLANE_NOT_FOUND' })
  expect(error.hints).toEqual([
    'vplane create dev --namespace team --adopt',
    'vplane delete dev --namespace team',
  ])
})
