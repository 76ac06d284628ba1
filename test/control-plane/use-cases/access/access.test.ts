import { expect, test } from 'vitest'
import {
  type AccessOptions,
  openAccess,
  openQuickly,
  renewAccess,
} from '../../../../src/control-plane/use-cases/access/access.ts'
import type { EndpointOptions } from '../../../../src/control-plane/driver/endpoint-options.ts'
import type { Plane } from '../../../../src/control-plane/plane/plane.ts'
import {
  CREDENTIAL_LIFETIME_MS,
  isDue,
} from '../../../../src/control-plane/use-cases/access/credential-lifetime.ts'
import { FakeComposition } from '../../../support/driver/fake-composition.ts'
import { HOSTED, worldWithPlane } from '../../../support/driver/world-with-plane.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'

const HOUR_MS = 3_600_000
const NEVER = new AbortController().signal

function open(world: FakeComposition, plane: Plane, options: Partial<AccessOptions> = {}) {
  const usual = { driver: world.driver, plane, timeoutMs: 2000, signal: NEVER }
  return openAccess(world, { ...usual, ...options })
}

test('hands out a credential of an administrator that lives a day', async () => {
  const { inside, plane, world } = await worldWithPlane()

  const access = await open(world, plane)

  expect(access).toEqual({
    server: inside.server,
    certificateAuthority: inside.certificateAuthority,
    certificate: '{"user":"vplane-admin","groups":["system:masters"]}',
    key: 'key of vplane-admin',
    expiresAt: new Date(world.time.getTime() + 24 * HOUR_MS),
  })
  // It was not checked before.
  expect(inside.isServing).toBe(false)
  expect(world.openClients).toBe(0)
})

test('checks a running plane, and returns its stored credential', async () => {
  const { inside, plane, world } = await worldWithPlane()
  const first = await open(world, plane)
  world.driver.calls.length = 0

  const second = await open(world, plane)

  expect(second).toEqual(first)
  expect(world.driver.calls).toEqual(['isRunning dev'])
  expect(inside.isServing).toBe(true)
  expect(world.accesses.writes).toBe(1)
})

test.for([
  ['any client', { isHeld: false }, 0, false],
  ['any client', { isHeld: false }, 19.1, false],
  ['any client', { isHeld: false }, 19.2, true],
  ['any client', { isHeld: false }, 23.9, true],
  ['any client', { isHeld: false }, 24, true],
  ['any client', { isHeld: false }, 1000, true],
  ['one that keeps it', { isHeld: true }, 0, false],
  ['one that keeps it', { isHeld: true }, 1.1, false],
  ['one that keeps it', { isHeld: true }, 1.2, true],
  ['one that keeps it', { isHeld: true }, 12, true],
] as const)('gives %s (%j) a new credential after %s h: %s', async ([, client, hours, isNew]) => {
  const { driver, plane, world } = await worldWithPlane()
  const first = await open(world, plane)
  world.time = new Date(world.time.getTime() + hours * HOUR_MS)

  const second = await open(world, plane, client)

  expect(second.expiresAt > first.expiresAt).toBe(isNew)
  expect(driver.calls.filter((call) => call.startsWith('issue'))).toHaveLength(isNew ? 2 : 1)
})

test('counts a credential as due when a fifth of its life is left', () => {
  const expiresAt = new Date(CREDENTIAL_LIFETIME_MS)

  expect(isDue({ expiresAt }, new Date(CREDENTIAL_LIFETIME_MS * 0.8 - 1))).toBe(false)
  expect(isDue({ expiresAt }, new Date(CREDENTIAL_LIFETIME_MS * 0.8))).toBe(true)
})

test.for(['paused', 'stopped', 'crashed'] as const)(
  'starts a plane that is %s, with the credential it had',
  async (state) => {
    const { inside, plane, world } = await worldWithPlane()
    const first = await open(world, plane)
    if (state === 'paused') {
      await world.driver.pause(plane, { ui: world.ui, signal: NEVER })
    } else {
      inside.stop('kube-controller-manager')
    }
    if (state === 'crashed') {
      inside.crash('kube-apiserver')
    }

    const second = await open(world, plane)

    expect(second).toEqual(first)
    expect(world.driver.calls).toContain('start dev')
    expect((await world.driver.status(plane)).phase).toBe('Ready')
  },
)

test('records that a plane should run after a pause that was interrupted at its beginning', async () => {
  const { inside, plane, world } = await worldWithPlane()
  await open(world, plane)
  inside.stored = { ...plane, desired: 'paused' }

  await open(world, inside.stored)

  expect(world.driver.calls).toContain('start dev')
  expect(inside.stored).toMatchObject({ desired: 'running' })
})

test('hands out the new address of a plane that moved', async () => {
  const { inside, plane, world } = await worldWithPlane()
  const first = await open(world, plane)
  inside.server = 'https://127.0.0.1:2'

  const second = await open(world, plane)

  expect(second.server).toBe('https://127.0.0.1:2')
  expect(second.certificate).toBe(first.certificate)
  expect((await world.accesses.read(plane))?.server).toBe('https://127.0.0.1:2')
})

test('does not return the stored access to an earlier plane of the same name', async () => {
  const { plane: before, world } = await worldWithPlane()
  const first = await open(world, before)
  await world.driver.remove(before, { ui: world.ui, signal: NEVER })
  const after = await world.plane('dev')

  const second = await open(world, after)

  expect(second.certificateAuthority).not.toBe(first.certificateAuthority)
})

test('makes a new credential when the CA of the plane is another', async () => {
  const { plane, world } = await worldWithPlane()
  const first = await open(world, plane)
  await world.accesses.write(plane, { ...first, certificateAuthority: 'an older one', key: 'old' })

  const access = await renewAccess(world, { driver: world.driver, plane })

  expect(access).toEqual(first)
})

test('fails when a plane does not become ready in time', async () => {
  const { api, plane, world } = await worldWithPlane()
  api.readyz = { status: 500, body: '[+]ping ok\n[-]etcd failed' }

  const error = await rejectionOf(open(world, plane, { timeoutMs: 80 }))

  expect(error.code).toBe('TIMED_OUT')
  expect(world.openClients).toBe(0)
})

test('fails when the plane was deleted meanwhile', async () => {
  const { plane, world } = await worldWithPlane()
  await open(world, plane)
  await world.driver.remove(plane, { ui: world.ui, signal: NEVER })

  expect((await rejectionOf(open(world, plane))).code).toBe('CONTROL_PLANE_NOT_FOUND')
})

/** A plane in a host cluster, with an access for its contexts that is kept. */
async function hosted() {
  const made = await worldWithPlane(HOSTED)
  const lasting = await open(made.world, made.plane, { endpointOptions: { lasting: true } })
  made.driver.calls.length = 0
  return { ...made, lasting }
}

test('an address for this process alone comes with the stored credential', async () => {
  const { driver, lasting, plane, world } = await hosted()
  const { writes } = world.accesses

  const first = await open(world, plane)
  const second = await open(world, plane)

  expect(first).toEqual({ ...lasting, server: `${lasting.server}/passing`, isTransient: true })
  expect(second).toEqual(first)
  expect(driver.calls.filter((call) => !call.startsWith('isRunning'))).toEqual([])
  expect(world.accesses.writes).toBe(writes)
  expect(await world.accesses.read(plane)).toEqual(lasting)
})

test('a credential that a passing way renews leaves the address of the contexts as it was', async () => {
  const { lasting, plane, world } = await hosted()
  world.time = lasting.expiresAt

  const access = await open(world, plane)

  const kept = await world.accesses.read(plane)
  expect(access.expiresAt > lasting.expiresAt).toBe(true)
  expect(kept).toMatchObject({ server: lasting.server, expiresAt: access.expiresAt })
  expect(kept).not.toHaveProperty('isTransient')
})

test('a running plane gets a lasting way without being started', async () => {
  const { driver, inside, plane, world } = await worldWithPlane(HOSTED)
  await renewAccess(world, { driver, plane })
  driver.calls.length = 0

  const access = await open(world, plane, { endpointOptions: { lasting: true } })

  expect(access.server).toBe(inside.server)
  expect((await world.accesses.read(plane))?.server).toBe(access.server)
  expect(driver.calls).not.toContain('start dev')
})

test('reaches an exposed plane that it starts without its address until the API serves', async () => {
  const { plane, used, world } = await exposed()

  const access = await open(world, plane, { endpointOptions: { lasting: true } })

  expect(used).toEqual([undefined, { lasting: true }])
  expect(access).not.toHaveProperty('isTransient')
  expect((await world.accesses.read(plane))?.server).toBe(access.server)
})

test('reaches an exposed plane that it starts at the address that the user gives', async () => {
  const { inside, plane, used, world } = await exposed()
  const endpointOptions = { lasting: true, server: inside.server }

  const access = await open(world, plane, { endpointOptions })

  expect(used).toEqual([endpointOptions])
  expect(access.server).toBe(inside.server)
})

/** A plane in a host cluster, and with which options its address was searched. */
async function exposed() {
  const made = await worldWithPlane({ ...HOSTED, spec: { expose: { type: 'node-port' } } })
  const { driver } = made
  const used: Array<EndpointOptions | undefined> = []
  const endpoint = driver.endpoint.bind(driver)
  driver.endpoint = (plane, options) => {
    used.push(options)
    return endpoint(plane, options)
  }
  return { ...made, used }
}

test('takes the address that the user gives, and does not keep it', async () => {
  const { lasting, plane, world } = await hosted()
  const server = `${lasting.server}/passing-of-a-load-balancer`

  const access = await open(world, plane, { endpointOptions: { lasting: true, server } })

  expect(access).toEqual({ ...lasting, server })
  expect(await world.accesses.read(plane)).toEqual(lasting)
})

test('opens a plane quickly only when a check is enough', async () => {
  const { driver, lasting, plane, world } = await hosted()
  const look = { driver, plane }

  expect(await openQuickly(world, look)).toMatchObject({ key: lasting.key, isTransient: true })
  await driver.pause(plane, { ui: world.ui, signal: NEVER })
  driver.calls.length = 0
  const paused = { ...plane, desired: 'paused' } as const
  expect(await openQuickly(world, { driver, plane: paused })).toBeUndefined()
  await open(world, plane)
  driver.calls.length = 0
  world.time = lasting.expiresAt
  expect(await openQuickly(world, look)).toBeUndefined()
  expect(driver.calls).toEqual([])
})
