import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { connectControlPlane } from '../../../../src/control-plane/use-cases/connect/connect-control-plane.ts'
import {
  deleteControlPlane,
  type DeleteOptions,
} from '../../../../src/control-plane/use-cases/stop/delete-control-plane.ts'
import { createSnapshot } from '../../../../src/control-plane/use-cases/snapshot/create-snapshot.ts'
import { VplaneError } from '../../../../src/shared/errors.ts'
import { FakeComposition } from '../../../support/driver/fake-composition.ts'
import { FakeDriver } from '../../../support/driver/fake-driver.ts'
import { temporarySnapshots } from '../../../support/machine/temporary-snapshots.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'

const NEVER = new AbortController().signal

function remove(world: FakeComposition, options: Partial<DeleteOptions> = {}) {
  return deleteControlPlane(world, { name: 'dev', isConfirmed: true, signal: NEVER, ...options })
}

async function connect(world: FakeComposition): Promise<void> {
  const options = { name: 'dev', embedCredentials: false, timeoutMs: 2000, signal: NEVER }
  await connectControlPlane(world, options)
}

test('removes a plane, its context and its credential, without a question', async () => {
  const world = new FakeComposition()
  const plane = await world.plane('dev')
  await connect(world)

  const result = await remove(world)

  expect(result).toEqual({
    plane: { name: 'dev', driver: 'local' },
    removedContext: 'vplane_dev',
    leftovers: [],
    snapshots: [],
    steps: [
      'remove its context from the kubeconfig, and its tunnel',
      'stop its components',
      'delete its data, its keys and everything else',
    ],
    isDeleted: true,
  })
  expect(world.driver.planes.size).toBe(0)
  expect(await world.contexts.planes()).toEqual([])
  expect(await world.accesses.read(plane)).toBeUndefined()
  expect(world.ui.questions).toEqual([])
})

test('shows what would be deleted in a dry run', async () => {
  const host = new FakeDriver({ name: 'kubernetes' })
  const world = new FakeComposition({ drivers: [host] })
  await world.plane('dev')
  await connect(world)
  host.pods.claims = ['default/a']

  const { isDeleted } = await remove(world, { isDryRun: true, keepData: true })

  expect(isDeleted).toBe(false)
  expect(world.ui.notes.slice(-5)).toEqual([
    'Will be done:',
    '  1. remove its context from the kubeconfig, and its tunnel',
    '  2. stop its components',
    '  3. delete the volumes of its pods: default/a',
    '  4. delete everything but its data and its keys',
  ])
  expect(world.driver.planes.size).toBe(1)
  expect(await world.contexts.planes()).toHaveLength(1)
})

test('names no context when none led to it', async () => {
  const world = new FakeComposition()
  await world.plane('dev')

  expect(await remove(world)).not.toHaveProperty('removedContext')
})

test('asks, and removes after a yes', async () => {
  const world = new FakeComposition({ answers: [true] })
  await world.plane('dev')

  await remove(world, { isConfirmed: false })

  expect(world.ui.questions).toEqual(['Delete "dev" and everything in it?'])
  expect(world.driver.planes.size).toBe(0)
})

test.for([
  [
    false,
    'Delete "dev" and everything in it, with the volumes of its pods (default/a, default/b)?',
  ],
  [true, 'Delete "dev" and keep its data, with the volumes of its pods (default/a, default/b)?'],
] as const)(
  'names the volumes of pods when it asks, keeping data %s',
  async ([keepData, question]) => {
    const driver = new FakeDriver({ name: 'kubernetes' })
    const world = new FakeComposition({ answers: [true], drivers: [driver] })
    await world.plane('dev')
    driver.pods.claims = ['default/a', 'default/b']

    await remove(world, { isConfirmed: false, keepData })

    expect(world.ui.questions).toEqual([question])
  },
)

test('keeps everything after a no', async () => {
  const world = new FakeComposition({ answers: [false] })
  const plane = await world.plane('dev')
  await connect(world)

  const error = await rejectionOf(remove(world, { isConfirmed: false }))

  expect(error).toMatchObject({ code: 'ABORTED', exitCode: 130, message: '"dev" was not deleted' })
  expect((await world.driver.status(plane)).phase).toBe('Ready')
  expect(await world.contexts.planes()).toHaveLength(1)
  expect(await world.accesses.read(plane)).toBeDefined()
})

test('keeps a plane that was created again while it was asked, and its context', async () => {
  const world = new FakeComposition()
  const plane = await world.plane('dev')
  vi.spyOn(world.ui, 'confirm').mockImplementation(async () => {
    await world.driver.remove(plane, { ui: world.ui, signal: NEVER })
    await world.plane('dev')
    await connect(world)
    return true
  })

  const error = await rejectionOf(remove(world, { isConfirmed: false }))

  expect(error).toMatchObject({ code: 'CONTROL_PLANE_NOT_FOUND' })
  expect(world.driver.planes.size).toBe(1)
  expect(await world.contexts.planes()).toHaveLength(1)
})

test('keeps everything when it cannot prompt, and names the flag that confirms', async () => {
  const world = new FakeComposition()
  await world.plane('dev')

  const error = await rejectionOf(remove(world, { isConfirmed: false }))

  expect(error.code).toBe('USAGE')
  expect(error.message).toContain('--yes')
  expect(world.driver.calls).not.toContain('remove dev')
})

test('does not ask about a plane that does not exist', async () => {
  const world = new FakeComposition({ answers: [true] })

  const error = await rejectionOf(remove(world, { isConfirmed: false }))

  expect(error).toMatchObject({ code: 'CONTROL_PLANE_NOT_FOUND', exitCode: 3 })
  expect(world.ui.questions).toEqual([])
})

test('reports what remains, and why', async () => {
  const world = new FakeComposition()
  await world.plane('dev')
  world.driver.leftovers = [{ what: 'process 7', why: 'it did not end' }]

  expect((await remove(world)).leftovers).toEqual([{ what: 'process 7', why: 'it did not end' }])
})

test('removes a plane whose stored state cannot be read', async () => {
  const world = new FakeComposition()
  await world.driver.damage(await world.plane('dev'))

  const { leftovers } = await remove(world)

  expect(leftovers).toEqual([])
  expect(world.driver.planes.size).toBe(0)
})

test('removes a plane although the kubeconfig cannot be changed, and reports that', async () => {
  const world = new FakeComposition()
  await world.plane('dev')
  world.contexts.failure = new VplaneError('FAILED', 'cannot write "/home/x/.kube/config": EROFS')

  const result = await remove(world)

  expect(world.driver.planes.size).toBe(0)
  expect(result.leftovers).toEqual([
    {
      what: 'its context in the kubeconfig',
      why: 'cannot write "/home/x/.kube/config": EROFS',
    },
  ])
})

test('stops when it is interrupted while the kubeconfig is locked', async () => {
  const world = new FakeComposition()
  await world.plane('dev')
  world.contexts.failure = new VplaneError('ABORTED', 'interrupted')

  expect((await rejectionOf(remove(world))).code).toBe('ABORTED')
  expect(world.driver.planes.size).toBe(1)
})

test('removes the plane that the flags select, and leaves others of its name alone', async () => {
  const local = new FakeDriver()
  const kubernetes = new FakeDriver({ name: 'kubernetes', hostContext: 'work' })
  const world = new FakeComposition({ drivers: [local, kubernetes] })
  await world.plane('dev', { driver: local })
  await world.plane('dev', { driver: kubernetes })

  const { plane } = await remove(world, { driver: 'kubernetes' })

  expect(plane).toEqual({
    name: 'dev',
    driver: 'kubernetes',
    namespace: 'default',
    hostContext: 'work',
  })
  expect(local.planes.size).toBe(1)
  expect(kubernetes.planes.size).toBe(0)
})

test('ends the tunnel to the plane', async () => {
  const driver = new FakeDriver({ name: 'kubernetes', hostContext: 'work' })
  const world = new FakeComposition({ drivers: [driver] })
  world.tunnels.open(await world.plane('dev'))

  await remove(world)

  expect(world.tunnels.tunnels).toEqual([])
})

test('asks for confirmation before it deletes a hosted plane and keeps its data', async () => {
  const driver = new FakeDriver({ name: 'kubernetes', hostContext: 'work' })
  const world = new FakeComposition({ drivers: [driver], answers: [true] })
  await world.plane('dev')

  await remove(world, { keepData: true, isConfirmed: false })

  expect(world.ui.questions).toEqual(['Delete "dev" and keep its data?'])
  expect(driver.calls).toContain('remove dev keeping its data')
})

test('does not pretend to keep the data of a plane of this machine', async () => {
  const world = new FakeComposition()
  await world.plane('dev')

  const error = await rejectionOf(remove(world, { keepData: true }))

  expect(error).toMatchObject({ code: 'USAGE', hints: ['vplane pause dev'] })
  expect(world.driver.planes.size).toBe(1)
})

describe('snapshots on this machine', () => {
  const worldWithSnapshot = async () => {
    const store = await temporarySnapshots()
    onTestFinished(() => store[Symbol.asyncDispose]())
    const world = new FakeComposition({ snapshots: store.snapshots, answers: [true] })
    await world.plane('dev')
    const { id = '' } = await createSnapshot(world, { name: 'dev', signal: NEVER })
    await world.plane('other')
    await createSnapshot(world, { name: 'other', signal: NEVER })
    return { world, id, list: () => store.snapshots.local.list(NEVER) }
  }

  test('stay, and the question and the result name them', async () => {
    const { id, list, world } = await worldWithSnapshot()

    const { snapshots } = await remove(world, { isConfirmed: false })

    expect(snapshots).toEqual([id])
    expect(world.ui.questions[0]).toContain('Its snapshots on this machine stay: 1.')
    expect(await list()).toHaveLength(2)
  })

  test('are deleted on request, but not those of other planes', async () => {
    const { id, list, world } = await worldWithSnapshot()

    const { snapshots, steps } = await remove(world, { deleteSnapshots: true })

    expect(snapshots).toEqual([])
    expect(steps.at(-1)).toBe(`delete its snapshots on this machine: ${id}`)
    expect(await list()).toMatchObject([{ plane: 'other' }])
  })
})
