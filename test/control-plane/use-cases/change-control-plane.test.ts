import { expect, test } from 'vitest'
import { changeControlPlane } from '../../../src/control-plane/use-cases/change-control-plane.ts'
import { pauseControlPlane } from '../../../src/control-plane/use-cases/pause-control-plane.ts'
import { FakeComposition } from '../../support/fake-composition.ts'
import { rejectionOf } from '../../support/thrown-by.ts'

const OPTIONS = {
  name: 'dev',
  isConfirmed: false,
  isDryRun: false,
  timeoutMs: 2000,
  signal: new AbortController().signal,
}
const lean = () => ({ apiGroups: 'lean' }) as const

test('shows what differs and what will be done, asks, and waits until the plane is ready', async () => {
  const world = new FakeComposition({ answers: [true] })
  await world.plane('dev')

  const { isChanged, plane } = await changeControlPlane(world, lean, OPTIONS)

  expect(world.ui.notes).toEqual([
    'The spec:',
    '  + apiGroups: "lean"',
    'Will be done:',
    '  1. restart everything',
  ])
  expect(world.ui.questions).toEqual(['Change "dev"?'])
  expect(isChanged).toBe(true)
  expect(plane).toMatchObject({ userSpec: { apiGroups: 'lean' }, spec: { apiGroups: 'lean' } })
  expect((await world.driver.status(plane)).phase).toBe('Ready')
  expect(world.openClients).toBe(0)
})

test('leaves the plane as it is after a no', async () => {
  const world = new FakeComposition({ answers: [false] })
  await world.plane('dev')

  const error = await rejectionOf(changeControlPlane(world, lean, OPTIONS))

  expect(error.code).toBe('ABORTED')
  expect(world.driver.changes).toEqual([])
})

test('says what it would do, and does nothing', async () => {
  const world = new FakeComposition()
  await world.plane('dev')

  const result = await changeControlPlane(world, lean, { ...OPTIONS, isDryRun: true })

  expect(result).toMatchObject({
    differences: ['+ apiGroups: "lean"'],
    steps: ['restart everything'],
    isChanged: false,
  })
  expect(world.driver.changes).toEqual([])
})

test('asks nothing when there is nothing to do', async () => {
  const world = new FakeComposition()
  await world.plane('dev', { apiGroups: 'lean' })

  const { isChanged } = await changeControlPlane(world, lean, OPTIONS)

  expect(isChanged).toBe(false)
  expect(world.ui.notes).toEqual([])
})

test('goes on with what a change that was cut off left to do', async () => {
  const world = new FakeComposition()
  await world.plane('dev', { apiGroups: 'lean' })
  world.driver.unfinished = ['restart etcd']

  const result = await changeControlPlane(world, lean, { ...OPTIONS, isConfirmed: true })

  expect(result).toMatchObject({ differences: [], steps: ['restart etcd'], isChanged: true })
  expect(world.driver.changes).toHaveLength(1)
})

test('does not start a plane that rests', async () => {
  const world = new FakeComposition()
  await world.plane('dev')
  await pauseControlPlane(world, { ...OPTIONS, withoutSnapshot: true })

  const { plane } = await changeControlPlane(world, lean, { ...OPTIONS, isConfirmed: true })

  expect(plane).toMatchObject({ desired: 'paused', spec: { apiGroups: 'lean' } })
  expect(await world.driver.isRunning(plane)).toBe(false)
})
