import { expect, test } from 'vitest'
import {
  pauseControlPlane,
  resumeControlPlane,
} from '../../../src/control-plane/use-cases/pause-control-plane.ts'
import { removeAfterwards } from '../../../src/control-plane/use-cases/remove-afterwards.ts'
import { FakeComposition } from '../../support/fake-composition.ts'
import { FakeDriver } from '../../support/fake-driver.ts'
import { rejectionOf } from '../../support/thrown-by.ts'

const NEVER = new AbortController().signal
const DEV = { name: 'dev', signal: NEVER }
const READY = { ...DEV, timeoutMs: 2000 }

test('stops components in reverse, and keeps the plane', async () => {
  const world = new FakeComposition()
  const plane = await world.plane('dev')

  const paused = await pauseControlPlane(world, DEV)

  expect(paused).toEqual({ ...plane, desired: 'paused' })
  expect(world.ui.steps).toEqual([
    'Stopping kube-controller-manager',
    'Stopping kube-apiserver',
    'Stopping etcd',
  ])
  expect(await world.driver.find('dev')).toEqual([paused])
})

test('takes a plane that rests already for paused', async () => {
  const world = new FakeComposition()
  await world.plane('dev')
  await pauseControlPlane(world, DEV)

  expect(await pauseControlPlane(world, DEV)).toMatchObject({ desired: 'paused' })
})

test('starts a paused plane, and waits until it can be used', async () => {
  const world = new FakeComposition()
  const plane = await world.plane('dev')
  await pauseControlPlane(world, DEV)

  const resumed = await resumeControlPlane(world, READY)

  expect(resumed).toEqual({ ...plane, desired: 'running' })
  expect((await world.driver.status(plane)).phase).toBe('Ready')
  expect(world.driver.inside(plane).api.calls).toContain('text /readyz')
})

test('takes a plane that runs already for resumed', async () => {
  const world = new FakeComposition()
  await world.plane('dev')

  expect(await resumeControlPlane(world, READY)).toMatchObject({ desired: 'running' })
})

test('says so when a plane cannot be started again', async () => {
  const world = new FakeComposition()
  const plane = await world.plane('dev')
  await pauseControlPlane(world, DEV)
  world.driver.inside(plane).broken.add('etcd')

  expect(await rejectionOf(resumeControlPlane(world, READY))).toMatchObject({
    code: 'COMPONENT_FAILED',
    exitCode: 7,
  })
})

test('knows neither what is not there, nor what cannot be read', async () => {
  const world = new FakeComposition()
  await world.driver.damage(await world.plane('bad'))

  for (const [name, code] of [
    ['dev', 'CONTROL_PLANE_NOT_FOUND'],
    ['bad', 'FAILED'],
  ] as const) {
    expect((await rejectionOf(pauseControlPlane(world, { ...DEV, name }))).code).toBe(code)
    expect((await rejectionOf(resumeControlPlane(world, { ...READY, name }))).code).toBe(code)
  }
})

test('removes a plane afterwards, and its credential', async () => {
  const local = new FakeDriver()
  const host = new FakeDriver({ name: 'kubernetes' })
  host.failure = new Error('was asked')
  const world = new FakeComposition({ drivers: [host, local] })
  const plane = await world.plane('run-1', { driver: local })
  await world.plane('run-2', { driver: local })
  await resumeControlPlane(world, { ...READY, name: 'run-1', driver: 'local' })

  {
    await using _removed = removeAfterwards(
      { accesses: world.accesses, driver: local },
      { name: 'run-1' },
    )
    expect(local.planes.size).toBe(2)
  }

  expect([...local.planes.keys()]).toEqual(['/run-2'])
  expect(await world.accesses.read(plane)).toBeUndefined()
})

test('has nothing to remove of a plane that was never made, and removes what cannot be read', async () => {
  const world = new FakeComposition()
  await world.driver.damage(await world.plane('bad'))

  for (const name of ['never', 'bad']) {
    await removeAfterwards(world, { name })[Symbol.asyncDispose]()
  }

  expect(world.driver.planes.size).toBe(0)
})

test('keeps no credential at hand for a hosted plane that rests: whoever uses its context wakes it', async () => {
  const driver = new FakeDriver({ name: 'kubernetes' })
  const world = new FakeComposition({ drivers: [driver] })
  const plane = await world.plane('dev')
  await resumeControlPlane(world, { ...READY, name: 'dev' })

  await pauseControlPlane(world, { name: 'dev', signal: new AbortController().signal })

  expect(await world.accesses.read(plane)).toBeUndefined()
})
