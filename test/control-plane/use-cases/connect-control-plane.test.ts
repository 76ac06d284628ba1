import { expect, test } from 'vitest'
import {
  connectControlPlane,
  type ConnectOptions,
  openAccessTo,
  renderControlPlaneKubeconfig,
} from '../../../src/control-plane/use-cases/connect-control-plane.ts'
import { disconnectControlPlane } from '../../../src/control-plane/use-cases/disconnect-control-plane.ts'
import { FakeComposition } from '../../support/fake-composition.ts'
import { FakeDriver } from '../../support/fake-driver.ts'
import { MEMORY_FILE } from '../../support/memory-contexts.ts'
import { rejectionOf } from '../../support/thrown-by.ts'

const NEVER = new AbortController().signal

const optionsOf = (options: Partial<ConnectOptions> = {}): ConnectOptions => ({
  name: 'dev',
  embedCredentials: false,
  timeoutMs: 2000,
  signal: NEVER,
  ...options,
})

test('leads to a plane by a context whose user is the plugin', async () => {
  const world = new FakeComposition({ current: 'work' })
  const plane = await world.plane('dev')

  const connected = await connectControlPlane(world, optionsOf())

  expect(connected).toEqual({
    plane: { name: 'dev', driver: 'local' },
    server: world.driver.inside(plane).server,
    context: 'vplane_dev',
    file: MEMORY_FILE,
    previousContext: 'work',
  })
  expect(world.contexts.added).toMatchObject([
    { endpoint: { server: world.driver.inside(plane).server }, user: { kind: 'plugin' } },
  ])
})

test('writes a certificate into the context when it is told to', async () => {
  const world = new FakeComposition()
  await world.plane('dev')

  await connectControlPlane(world, optionsOf({ embedCredentials: true }))

  const access = expect.objectContaining({ key: 'key of vplane-admin' })
  expect(world.contexts.added[0]?.user).toEqual({ kind: 'embedded', access })
})

test('keeps the host of a plane on its context', async () => {
  const driver = new FakeDriver({ name: 'kubernetes', hostContext: 'work' })
  const world = new FakeComposition({ drivers: [driver], current: 'work' })
  await world.plane('dev')

  const { plane } = await connectControlPlane(world, optionsOf())

  expect(plane).toEqual({
    name: 'dev',
    driver: 'kubernetes',
    namespace: 'default',
    hostContext: 'work',
  })
})

test('starts a plane that rests', async () => {
  const world = new FakeComposition()
  const plane = await world.plane('dev')
  await world.driver.pause(plane, { ui: world.ui, signal: NEVER })

  await connectControlPlane(world, optionsOf())

  expect((await world.driver.status(plane)).phase).toBe('Ready')
})

test('touches no kubeconfig when the plane cannot be used', async () => {
  const world = new FakeComposition()
  const plane = await world.plane('dev')
  world.driver.inside(plane).api.readyz = { status: 500, body: '' }

  const error = await rejectionOf(connectControlPlane(world, optionsOf({ timeoutMs: 80 })))

  expect(error.code).toBe('TIMED_OUT')
  expect(world.contexts.added).toEqual([])
})

test('prints a kubeconfig and writes none', async () => {
  const world = new FakeComposition()
  const plane = await world.plane('dev')
  const { server } = world.driver.inside(plane)

  const byPlugin = await renderControlPlaneKubeconfig(world, optionsOf())
  const embedded = await renderControlPlaneKubeconfig(world, optionsOf({ embedCredentials: true }))

  expect(byPlugin.kubeconfig).toBe(`kubeconfig of dev at ${server} by plugin\n`)
  expect(embedded.kubeconfig).toBe(`kubeconfig of dev at ${server} by embedded\n`)
  expect(world.contexts.added).toEqual([])
})

test('opens a way into a plane by its name', async () => {
  const world = new FakeComposition()
  const plane = await world.plane('dev')

  const found = await openAccessTo(world, { name: 'dev', timeoutMs: 2000, signal: NEVER })

  expect(found).toMatchObject({ driver: world.driver, plane })
  expect(found.access.server).toBe(world.driver.inside(plane).server)
})

test.for([connectControlPlane, renderControlPlaneKubeconfig])(
  'knows no plane that is not there: %s',
  async (useCase) => {
    const world = new FakeComposition()

    const error = await rejectionOf(useCase(world, optionsOf()))

    expect(error.code).toBe('CONTROL_PLANE_NOT_FOUND')
    expect(world.contexts.added).toEqual([])
  },
)

test('disconnects by name, and says where the user is now', async () => {
  const world = new FakeComposition({ current: 'work' })
  await world.plane('dev')
  await connectControlPlane(world, optionsOf())

  const removed = await disconnectControlPlane(world, { name: 'dev', signal: NEVER })

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
    await connectControlPlane(world, optionsOf({ name }))
  }

  const { plane } = await disconnectControlPlane(world, { name: undefined, signal: NEVER })

  expect(plane.name).toBe('two')
  expect(await world.contexts.planes()).toEqual([{ name: 'one', driver: 'local' }])
})

test('disconnects from a plane that was deleted long ago', async () => {
  const world = new FakeComposition()
  const plane = await world.plane('dev')
  await connectControlPlane(world, optionsOf())
  await world.driver.remove(plane, { ui: world.ui, signal: NEVER })

  const { context } = await disconnectControlPlane(world, { name: 'dev', signal: NEVER })

  expect(context).toBe('vplane_dev')
})

test.for([
  ['other', 'no context of the kubeconfig leads to "other"', ['vplane disconnect dev']],
  ['Other', 'the name "Other" may hold', ['try "other"']],
] as const)('has nothing to disconnect by the name %s', async ([name, message, hints]) => {
  const world = new FakeComposition()
  await world.plane('dev')
  await connectControlPlane(world, optionsOf())

  const error = await rejectionOf(disconnectControlPlane(world, { name, signal: NEVER }))

  expect(error.message).toContain(message)
  expect(error.hints).toEqual(hints)
  expect(await world.contexts.planes()).toHaveLength(1)
})

test('has nothing to disconnect when the current context is not of vplane', async () => {
  const world = new FakeComposition({ current: 'work' })

  const error = await rejectionOf(disconnectControlPlane(world, { name: undefined, signal: NEVER }))

  expect(error).toMatchObject({ code: 'NOT_FOUND', exitCode: 3, hints: [] })
  expect(error.message).toBe('the current context is not one of vplane')
})
