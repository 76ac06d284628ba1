import { expect, test } from 'vitest'
import { changeControlPlane } from '../../../../src/control-plane/use-cases/change/change-control-plane.ts'
import type { Plane } from '../../../../src/control-plane/plane/plane.ts'
import { pauseControlPlane } from '../../../../src/control-plane/use-cases/stop/pause-control-plane.ts'
import { worldWithPlane } from '../../../support/driver/world-with-plane.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'

const OPTIONS = {
  name: 'dev',
  isConfirmed: false,
  isDryRun: false,
  timeoutMs: 2000,
  signal: new AbortController().signal,
}
const lean = () => ({ apiGroups: 'lean' }) as const
const quieter = ({ userSpec }: Plane) => ({ ...userSpec, idle: '30m' })

test('shows what differs and what will be done, asks, and waits until the plane is ready', async () => {
  const { world } = await worldWithPlane({ answers: [true] })

  const { isChanged, plane } = await changeControlPlane(world, lean, OPTIONS)

  expect(world.ui.notes).toEqual([
    'The spec:',
    '  + apiGroups: "lean"',
    'Steps:',
    '  1. restart everything',
  ])
  expect(world.ui.questions).toEqual(['Change "dev"?'])
  expect(isChanged).toBe(true)
  expect(plane).toMatchObject({ userSpec: { apiGroups: 'lean' }, spec: { apiGroups: 'lean' } })
  expect((await world.driver.status(plane)).phase).toBe('Ready')
  expect(world.openClients).toBe(0)
})

test('warns of what the host does before it asks', async () => {
  const { world } = await worldWithPlane({ answers: [true] })
  const plan = world.driver.plan.bind(world.driver)
  world.driver.plan = async (...args) => ({
    ...(await plan(...args)),
    warnings: ['the host may be too small'],
  })

  await changeControlPlane(world, lean, OPTIONS)

  expect(world.ui.warnings).toEqual(['the host may be too small'])
})

test('leaves the plane as it is after a no', async () => {
  const { world } = await worldWithPlane({ answers: [false] })

  const error = await rejectionOf(changeControlPlane(world, lean, OPTIONS))

  expect(error.code).toBe('ABORTED')
  expect(world.driver.changes).toEqual([])
})

test('shows what it would do in a dry run, and does nothing', async () => {
  const { world } = await worldWithPlane()

  const result = await changeControlPlane(world, lean, { ...OPTIONS, isDryRun: true })

  expect(result).toMatchObject({
    differences: ['+ apiGroups: "lean"'],
    steps: [{ action: 'restart-component', component: 'everything' }],
    isChanged: false,
  })
  expect(world.driver.changes).toEqual([])
})

test('asks nothing when there is nothing to do', async () => {
  const { world } = await worldWithPlane({ spec: { apiGroups: 'lean' } })

  const { isChanged } = await changeControlPlane(world, lean, OPTIONS)

  expect(isChanged).toBe(false)
  expect(world.ui.notes).toEqual([])
})

test('continues an interrupted change', async () => {
  const { world } = await worldWithPlane({ spec: { apiGroups: 'lean' } })
  const restart = { action: 'restart-component', component: 'etcd' } as const
  world.driver.unfinished = [restart]

  const result = await changeControlPlane(world, lean, { ...OPTIONS, isConfirmed: true })

  expect(result).toMatchObject({ differences: [], steps: [restart], isChanged: true })
  expect(world.driver.changes).toHaveLength(1)
})

test('loses neither of two changes that are made at once', async () => {
  const { world } = await worldWithPlane()
  const options = { ...OPTIONS, isConfirmed: true }

  const overtaken = async (plane: Plane) => {
    await changeControlPlane(world, lean, options)
    return quieter(plane)
  }
  const error = await rejectionOf(changeControlPlane(world, overtaken, options))
  const { plane } = await changeControlPlane(world, quieter, options)

  expect(error).toMatchObject({ code: 'CONFLICT', message: '"dev" was changed meanwhile' })
  expect(plane.userSpec).toEqual({ apiGroups: 'lean', idle: '30m' })
})

test('changes nothing when someone else has changed the plane while it asked', async () => {
  const { world } = await worldWithPlane()
  world.ui.confirm = async () => {
    await changeControlPlane(world, lean, { ...OPTIONS, isConfirmed: true })
    return true
  }

  const error = await rejectionOf(changeControlPlane(world, quieter, OPTIONS))

  expect(error.code).toBe('CONFLICT')
  expect(world.driver.changes.map(({ userSpec }) => userSpec)).toEqual([{ apiGroups: 'lean' }])
})

test('does not start a paused plane', async () => {
  const { world } = await worldWithPlane()
  await pauseControlPlane(world, { ...OPTIONS, withoutSnapshot: true })

  const { plane } = await changeControlPlane(world, lean, { ...OPTIONS, isConfirmed: true })

  expect(plane).toMatchObject({ desired: 'paused', spec: { apiGroups: 'lean' } })
  expect(await world.driver.isRunning(plane)).toBe(false)
})
