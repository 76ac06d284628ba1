import { expect, test } from 'vitest'
import { hintTexts } from '../../../../src/cli/catalog/hint-text.ts'
import { disconnectControlPlane } from '../../../../src/control-plane/use-cases/connect/disconnect-control-plane.ts'
import { FakeComposition } from '../../../support/driver/fake-composition.ts'
import { FakeDriver } from '../../../support/driver/fake-driver.ts'
import { MEMORY_FILE, MemoryContexts } from '../../../support/memory-contexts.ts'
import { connect, HOSTED, worldWithPlane } from '../../../support/driver/world-with-plane.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'

const NEVER = new AbortController().signal

const DEV = { name: 'dev', signal: NEVER }

test('disconnects by name, and returns the new current context', async () => {
  const { world } = await worldWithPlane({ current: 'work' })
  await connect(world)

  const removed = await disconnectControlPlane(world, DEV)

  expect(removed).toEqual({
    plane: { name: 'dev', driver: 'local' },
    context: 'vplane_dev',
    file: MEMORY_FILE,
    currentContext: 'work',
  })
  expect(await world.contexts.planes()).toEqual([])
  expect(world.driver.planes.size).toBe(1)
})

test('disconnects the plane of the current context when no name is given', async () => {
  const world = new FakeComposition()
  for (const name of ['one', 'two']) {
    await world.plane(name)
    await connect(world, { name })
  }

  const { plane } = await disconnectControlPlane(world, { name: undefined, signal: NEVER })

  expect(plane.name).toBe('two')
  expect(await world.contexts.planes()).toEqual([{ name: 'one', driver: 'local' }])
})

test('disconnects from a plane that was deleted long ago', async () => {
  const { plane, world } = await worldWithPlane()
  await connect(world)
  await world.driver.remove(plane, { ui: world.ui, signal: NEVER })

  const { context } = await disconnectControlPlane(world, DEV)

  expect(context).toBe('vplane_dev')
})

test.for([
  ['other', 'no context of the kubeconfig points at "other"', ['vplane disconnect dev']],
  ['Other', 'the name "Other" may only contain', ['try "other"']],
] as const)('has nothing to disconnect by the name %s', async ([name, message, hints]) => {
  const { world } = await worldWithPlane()
  await connect(world)

  const error = await rejectionOf(disconnectControlPlane(world, { name, signal: NEVER }))

  expect(error.message).toContain(message)
  expect(error.hints).toEqual(hints)
  expect(await world.contexts.planes()).toHaveLength(1)
})

test('has nothing to disconnect when the current context is not of vplane', async () => {
  const world = new FakeComposition({ current: 'work' })

  const error = await rejectionOf(disconnectControlPlane(world, { name: undefined, signal: NEVER }))

  expect(error).toMatchObject({ code: 'NOT_FOUND', exitCode: 3, hints: [] })
  expect(error.message).toBe('vplane did not write the current context')
})

test('ends the tunnel to the plane, and no other', async () => {
  const { plane, world } = await worldWithPlane(HOSTED)
  world.tunnels.open(plane)
  world.tunnels.open(await world.plane('other'))
  await connect(world)

  await disconnectControlPlane(world, DEV)

  expect(world.tunnels.tunnels.map(({ plane }) => plane.name)).toEqual(['other'])
})

test('deletes the credential for a plane in a host cluster that was deleted elsewhere', async () => {
  const { plane, world } = await worldWithPlane(HOSTED)
  await connect(world)
  expect(await world.accesses.read(plane)).toBeDefined()
  await world.driver.remove(plane, { ui: world.ui, signal: NEVER })

  await disconnectControlPlane(world, DEV)

  expect(await world.accesses.read(plane)).toBeUndefined()
})

test('keeps the tunnel for the usual kubeconfig when another file loses the plane', async () => {
  const { inside, plane, world } = await worldWithPlane(HOSTED)
  world.tunnels.open(plane)
  const { accesses, contexts: usual, tunnels } = world
  const other = new MemoryContexts()
  for (const contexts of [usual, other]) {
    await contexts.add({ plane, endpoint: inside, user: { kind: 'plugin' } }, NEVER)
  }

  await disconnectControlPlane({ accesses, contexts: other, tunnels, usual }, DEV)

  expect(await other.planes()).toEqual([])
  expect(tunnels.tunnels).toHaveLength(1)
  await disconnectControlPlane({ accesses, contexts: usual, tunnels, usual }, DEV)
  expect(tunnels.tunnels).toEqual([])
})

test('names the planes of other contexts so that each command means one', async () => {
  const world = new FakeComposition(HOSTED)
  for (const namespace of ['a', 'b']) {
    await world.plane('dev', { namespace })
    await connect(world, { namespace })
  }

  const error = await rejectionOf(disconnectControlPlane(world, { ...DEV, name: 'other' }))

  expect(hintTexts(error.hints)).toEqual([
    'vplane disconnect dev --namespace a',
    'vplane disconnect dev --namespace b',
  ])
})

test('takes the flags that tell connected planes of one name apart', async () => {
  const world = new FakeComposition(HOSTED)
  for (const namespace of ['a', 'b']) {
    await world.plane('dev', { namespace })
    await connect(world, { namespace })
  }

  const error = await rejectionOf(disconnectControlPlane(world, DEV))
  const { plane } = await disconnectControlPlane(world, { ...DEV, namespace: 'a' })

  expect(error).toMatchObject({ code: 'USAGE', hints: ['--namespace a', '--namespace b'] })
  expect(plane.namespace).toBe('a')
  expect(await world.contexts.planes()).toMatchObject([{ namespace: 'b' }])
})

test('names the host contexts when only they tell planes apart', async () => {
  const hosts = ['work', 'my play'].map(
    (hostContext) => new FakeDriver({ name: 'kubernetes', hostContext }),
  )
  const world = new FakeComposition({ drivers: hosts })
  for (const driver of hosts) {
    const plane = await world.plane('dev', { driver })
    const context = { plane, endpoint: driver.inside(plane), user: { kind: 'plugin' } } as const
    await world.contexts.add(context, NEVER)
  }

  const error = await rejectionOf(disconnectControlPlane(world, DEV))

  expect(error.hints).toEqual([
    '--namespace default --host-context work',
    "--namespace default --host-context 'my play'",
  ])
})
