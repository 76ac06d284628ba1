import { describe, expect, test, vi } from 'vitest'
import {
  deleteControlPlane,
  type DeleteOptions,
} from '../../../../src/control-plane/use-cases/stop/delete-control-plane.ts'
import { createSnapshot } from '../../../../src/control-plane/use-cases/snapshot/create-snapshot.ts'
import { VplaneError } from '../../../../src/shared/errors.ts'
import { FakeComposition } from '../../../support/driver/fake-composition.ts'
import { FakeDriver } from '../../../support/driver/fake-driver.ts'
import {
  connect,
  HOSTED,
  worldWithPlane,
  worldWithSnapshots,
} from '../../../support/driver/world-with-plane.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'

const NEVER = new AbortController().signal

function remove(world: FakeComposition, options: Partial<DeleteOptions> = {}) {
  return deleteControlPlane(world, { name: 'dev', isConfirmed: true, signal: NEVER, ...options })
}

test('removes a plane, its context and its credential, without a question', async () => {
  const { plane, world } = await worldWithPlane()
  await connect(world)

  const result = await remove(world)

  expect(result).toEqual({
    plane: { name: 'dev', driver: 'local' },
    removedContext: 'vplane_dev',
    leftovers: [],
    snapshots: [],
    steps: [
      { action: 'remove-context' },
      { action: 'stop-components' },
      { action: 'delete-all', keepData: false },
    ],
    isDeleted: true,
  })
  expect(world.driver.planes.size).toBe(0)
  expect(await world.contexts.planes()).toEqual([])
  expect(await world.accesses.read(plane)).toBeUndefined()
  expect(world.ui.questions).toEqual([])
})

test('leaves the context of another plane of its name', async () => {
  const { plane, world } = await worldWithPlane()
  const endpoint = { server: 'https://127.0.0.1:1', certificateAuthority: 'of another folder' }
  await world.contexts.add({ plane, endpoint, user: { kind: 'token', token: '' } }, NEVER)

  expect(await remove(world)).not.toHaveProperty('removedContext')
  expect(await world.contexts.planes()).toHaveLength(1)
})

test('shows what would be deleted in a dry run', async () => {
  const { driver, world } = await worldWithPlane(HOSTED)
  await connect(world)
  driver.pods.claims = ['default/a']

  const { isDeleted } = await remove(world, { isDryRun: true, keepData: true })

  expect(isDeleted).toBe(false)
  expect(world.ui.notes.slice(-5)).toEqual([
    'Steps:',
    '  1. remove its context from the kubeconfig, and its tunnel',
    '  2. stop its components',
    '  3. delete the volumes of its pods: default/a',
    '  4. delete everything but its data and its keys',
  ])
  expect(world.driver.planes.size).toBe(1)
  expect(await world.contexts.planes()).toHaveLength(1)
})

test('names no context when none led to it', async () => {
  const { world } = await worldWithPlane()

  expect(await remove(world)).not.toHaveProperty('removedContext')
})

test.for([
  ['and everything in it', false, [], '?'],
  ['and everything in it', false, ['a/b', 'c'], ', with the volumes of its pods (a/b, c)?'],
  ['and keep its data', true, [], '?'],
  ['and keep its data', true, ['a/b', 'c'], ', with the volumes of its pods (a/b, c)?'],
] as const)('asks to delete a plane %s, %s, with %j', async ([what, keepData, claims, end]) => {
  const { driver, world } = await worldWithPlane({ ...HOSTED, answers: [true] })
  driver.pods.claims = [...claims]

  await remove(world, { isConfirmed: false, keepData })

  expect(world.ui.questions).toEqual([`Delete "dev" ${what}${end}`])
  expect(driver.calls).toContain(`remove dev${keepData ? ' keeping its data' : ''}`)
  expect(driver.planes.size).toBe(0)
})

test('keeps everything after a no', async () => {
  const { plane, world } = await worldWithPlane({ answers: [false] })
  await connect(world)

  const error = await rejectionOf(remove(world, { isConfirmed: false }))

  expect(error).toMatchObject({ code: 'ABORTED', exitCode: 130, message: '"dev" was not deleted' })
  expect((await world.driver.status(plane)).phase).toBe('Ready')
  expect(await world.contexts.planes()).toHaveLength(1)
  expect(await world.accesses.read(plane)).toBeDefined()
})

test('keeps a plane that was created again while it was asked, and its context', async () => {
  const { plane, world } = await worldWithPlane()
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
  const { world } = await worldWithPlane()

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
  const { world } = await worldWithPlane()
  world.driver.leftovers = [{ what: 'process 7', why: 'it did not end' }]

  expect((await remove(world)).leftovers).toEqual(world.driver.leftovers)
})

test('removes a plane whose stored state cannot be read', async () => {
  const world = new FakeComposition()
  await world.driver.damage(await world.plane('dev'))

  const { leftovers } = await remove(world)

  expect(leftovers).toEqual([])
  expect(world.driver.planes.size).toBe(0)
})

test('removes a plane although the kubeconfig cannot be changed, and reports that', async () => {
  const { world } = await worldWithPlane()
  const why = 'cannot write "/home/x/.kube/config": EROFS'
  world.contexts.failure = new VplaneError('FAILED', why)

  const { leftovers } = await remove(world)

  expect(world.driver.planes.size).toBe(0)
  expect(leftovers).toEqual([{ what: 'its context in the kubeconfig', why }])
})

test('stops when it is interrupted while the kubeconfig is locked', async () => {
  const { world } = await worldWithPlane()
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

  const reference = { name: 'dev', namespace: 'default', hostContext: 'work' }
  expect(plane).toEqual({ ...reference, driver: 'kubernetes' })
  expect([local.planes.size, kubernetes.planes.size]).toEqual([1, 0])
})

test('ends the tunnel to the plane', async () => {
  const { plane, world } = await worldWithPlane(HOSTED)
  world.tunnels.open(plane)

  await remove(world)

  expect(world.tunnels.tunnels).toEqual([])
})

test('leaves neither tunnel nor credential when it is interrupted, or used meanwhile', async () => {
  const { plane, world } = await worldWithPlane(HOSTED)
  await connect(world)
  world.tunnels.open(plane)
  const access = await world.accesses.read(plane)
  expect.assert(access !== undefined)
  const removing = vi.spyOn(world.driver, 'remove')
  removing.mockRejectedValueOnce(new VplaneError('ABORTED', 'interrupted'))

  await rejectionOf(remove(world))
  const left = { access: await world.accesses.read(plane), tunnels: [...world.tunnels.tunnels] }
  removing.mockImplementationOnce(async () => {
    world.tunnels.open(plane)
    await world.accesses.write(plane, access)
    return []
  })
  await remove(world)

  expect(left).toEqual({ access: undefined, tunnels: [] })
  expect(await world.accesses.read(plane)).toBeUndefined()
  expect(world.tunnels.tunnels).toEqual([])
})

test('does not pretend to keep the data of a plane of this machine', async () => {
  const { world } = await worldWithPlane()

  const error = await rejectionOf(remove(world, { keepData: true }))

  expect(error).toMatchObject({ code: 'USAGE', hints: ['vplane pause dev'] })
  expect(world.driver.planes.size).toBe(1)
})

describe('snapshots on this machine', () => {
  const worldWithSnapshot = async () => {
    const { store, world } = await worldWithSnapshots({ answers: [true] })
    const { id = '' } = await createSnapshot(world, { name: 'dev', signal: NEVER })
    await world.plane('other')
    await createSnapshot(world, { name: 'other', signal: NEVER })
    const { local } = store.snapshots
    return { world, id, local, list: () => local.list(NEVER) }
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
    expect(steps[2]).toEqual({ action: 'delete-snapshots', snapshots: [id] })
    expect(await list()).toMatchObject([{ plane: 'other' }])
  })

  test('stay when the plane cannot be deleted', async () => {
    const { id, list, world } = await worldWithSnapshot()
    const unreachable = new VplaneError('UNREACHABLE', 'the server does not answer')
    world.driver.beforeRemove = () => Promise.reject(unreachable)

    expect(await rejectionOf(remove(world, { deleteSnapshots: true }))).toBe(unreachable)
    expect((await list()).map((one) => one.id)).toContain(id)
  })

  test('may be deleted by another vplane meanwhile', async () => {
    const { id, local, world } = await worldWithSnapshot()
    world.driver.beforeRemove = () => local.delete(id, NEVER)

    expect(await remove(world, { deleteSnapshots: true })).toMatchObject({ isDeleted: true })
  })

  test('are deleted by the same command after it was interrupted', async () => {
    const { list, local, world } = await worldWithSnapshot()
    const aborted = new VplaneError('ABORTED', 'interrupted')
    vi.spyOn(local, 'delete').mockRejectedValueOnce(aborted)

    const interrupted = await rejectionOf(remove(world, { deleteSnapshots: true }))
    const { isDeleted } = await remove(world, { deleteSnapshots: true })

    expect(interrupted).toBe(aborted)
    expect(isDeleted).toBe(true)
    expect(await list()).toMatchObject([{ plane: 'other' }])
  })
})
