import { expect, test } from 'vitest'
import {
  connectControlPlane,
  type ConnectOptions,
  openAccessTo,
  renderControlPlaneKubeconfig,
} from '../../../../src/control-plane/use-cases/connect/connect-control-plane.ts'
import { VplaneError } from '../../../../src/shared/errors.ts'
import { FakeComposition } from '../../../support/driver/fake-composition.ts'
import { MEMORY_FILE } from '../../../support/memory-contexts.ts'
import { HOSTED, worldWithPlane } from '../../../support/driver/world-with-plane.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'

const NEVER = new AbortController().signal

const optionsOf = (options: Partial<ConnectOptions> = {}): ConnectOptions => ({
  name: 'dev',
  embedCredentials: false,
  timeoutMs: 2000,
  signal: NEVER,
  ...options,
})

test('leads to a plane by a context whose user is the plugin', async () => {
  const { inside, world } = await worldWithPlane({ current: 'work' })

  const connected = await connectControlPlane(world, optionsOf())

  expect(connected).toEqual({
    plane: { name: 'dev', driver: 'local' },
    server: inside.server,
    context: 'vplane_dev',
    file: MEMORY_FILE,
    previousContext: 'work',
  })
  expect(world.contexts.added).toMatchObject([
    { endpoint: { server: inside.server }, user: { kind: 'plugin' } },
  ])
})

test('reports a kubeconfig that cannot be read before it searches for the plane', async () => {
  const world = new FakeComposition()
  world.contexts.failure = new VplaneError('INVALID_SPEC', 'kubeconfig "config": invalid YAML')

  const error = await rejectionOf(connectControlPlane(world, optionsOf({ name: 'none' })))

  expect(error).toBe(world.contexts.failure)
})

test('writes a new certificate into the context when the user wants that, whatever is cached', async () => {
  const { world } = await worldWithPlane()
  const opening = optionsOf()
  const { access: kept } = await openAccessTo(world, opening)
  world.time = new Date(world.time.getTime() + 12 * 3_600_000)

  await connectControlPlane(world, optionsOf({ embedCredentials: true }))

  const { access } = await openAccessTo(world, opening)
  expect(access.expiresAt.getTime() - kept.expiresAt.getTime()).toBe(12 * 3_600_000)
  expect(world.contexts.added[0]?.user).toEqual({
    kind: 'embedded',
    access: expect.objectContaining({ key: 'key of vplane-admin', expiresAt: access.expiresAt }),
  })
})

test('keeps the host of a plane on its context', async () => {
  const { world } = await worldWithPlane({ ...HOSTED, current: 'work' })

  const { plane } = await connectControlPlane(world, optionsOf())

  expect(plane).toEqual({
    name: 'dev',
    driver: 'kubernetes',
    namespace: 'default',
    hostContext: 'work',
  })
})

test('starts a paused plane', async () => {
  const { plane, world } = await worldWithPlane()
  await world.driver.pause(plane, { ui: world.ui, signal: NEVER })

  await connectControlPlane(world, optionsOf())

  expect((await world.driver.status(plane)).phase).toBe('Ready')
})

test('touches no kubeconfig when the plane cannot be used', async () => {
  const { inside, world } = await worldWithPlane()
  inside.api.readyz = { status: 500, body: '' }

  const error = await rejectionOf(connectControlPlane(world, optionsOf({ timeoutMs: 80 })))

  expect(error.code).toBe('TIMED_OUT')
  expect(world.contexts.added).toEqual([])
})

test('prints a kubeconfig and writes none', async () => {
  const { inside, world } = await worldWithPlane()

  const embedded = await renderControlPlaneKubeconfig(world, optionsOf({ embedCredentials: true }))
  const isPluginWrittenEarly = world.contexts.isPluginWritten
  const byPlugin = await renderControlPlaneKubeconfig(world, optionsOf())

  expect([isPluginWrittenEarly, world.contexts.isPluginWritten]).toEqual([false, true])
  expect(byPlugin.kubeconfig).toBe(`kubeconfig of dev at ${inside.server} by plugin\n`)
  expect(embedded.kubeconfig).toBe(`kubeconfig of dev at ${inside.server} by embedded\n`)
  expect(world.contexts.added).toEqual([])
})

test('opens a way into a plane by its name', async () => {
  const { inside, plane, world } = await worldWithPlane()

  const found = await openAccessTo(world, { name: 'dev', timeoutMs: 2000, signal: NEVER })

  expect(found).toMatchObject({ driver: world.driver, plane })
  expect(found.access.server).toBe(inside.server)
})

test.for([connectControlPlane, renderControlPlaneKubeconfig])(
  'needs a plane: %s',
  async (useCase) => {
    const world = new FakeComposition()

    const error = await rejectionOf(useCase(world, optionsOf()))

    expect(error.code).toBe('CONTROL_PLANE_NOT_FOUND')
    expect(world.contexts.added).toEqual([])
  },
)

test('leads to a hosted plane by a way that stays', async () => {
  const { inside, world } = await worldWithPlane(HOSTED)
  const { server } = inside

  const connected = await connectControlPlane(world, optionsOf())
  const { kubeconfig } = await renderControlPlaneKubeconfig(world, optionsOf())

  expect(connected.server).toBe(server)
  expect(kubeconfig).toContain(server)
})

test('opens a tunnel to a hosted plane that ends with the process, unless it must last', async () => {
  const { inside, world } = await worldWithPlane(HOSTED)
  const { server } = inside
  const options = { name: 'dev', timeoutMs: 2000, signal: NEVER }

  const passing = await openAccessTo(world, options)
  const lasting = await openAccessTo(world, { ...options, endpointOptions: { lasting: true } })

  expect(passing.access).toMatchObject({ server: `${server}/passing`, isTransient: true })
  expect(lasting.access.server).toBe(server)
})

test('uses the address that the user gives, and passes it to the plugin', async () => {
  const { inside, world } = await worldWithPlane(HOSTED)
  const server = `${inside.server}/passing-of-a-load-balancer`
  const endpointOptions = { lasting: true, server }

  const connected = await connectControlPlane(world, optionsOf({ endpointOptions }))

  expect(connected.server).toBe(server)
  expect(world.contexts.added[0]?.user).toEqual({ kind: 'plugin', server })
})

test('leaves the current context alone when the user wants that', async () => {
  const { world } = await worldWithPlane(HOSTED)

  await connectControlPlane(world, optionsOf({ makeCurrent: false }))

  expect(world.contexts.added[0]?.makeCurrent).toBe(false)
})

test('writes a credential of someone else into the kubeconfig', async () => {
  const { world } = await worldWithPlane(HOSTED)
  const subject = { user: 'alice', groups: ['dev'] }

  await connectControlPlane(world, optionsOf({ grant: { subject, lifetimeMs: 3_600_000 } }))

  expect(world.contexts.added[0]?.user).toMatchObject({
    kind: 'embedded',
    access: { certificate: '{"user":"alice","groups":["dev"]}' },
  })
  expect(world.openClients).toBe(0)
})

test.for([
  ['--local-port', { localPort: 21_000 }],
  ['--address', { address: '0.0.0.0' }],
  ['--idle-timeout', { idleTimeoutMs: 60_000 }],
] as const)('refuses %s for a local plane, which has no tunnel', async ([flag, option]) => {
  const { world } = await worldWithPlane()

  const endpointOptions = { lasting: true, ...option }
  const error = await rejectionOf(connectControlPlane(world, optionsOf({ endpointOptions })))

  expect(error).toMatchObject({ code: 'USAGE', hints: [`leave out ${flag}`] })
})
