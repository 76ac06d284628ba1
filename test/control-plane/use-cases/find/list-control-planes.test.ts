import { expect, test } from 'vitest'
import {
  describeControlPlane,
  listControlPlanes,
} from '../../../../src/control-plane/use-cases/find/list-control-planes.ts'
import { pauseControlPlane } from '../../../../src/control-plane/use-cases/stop/pause-control-plane.ts'
import { referenceOf } from '../../../../src/control-plane/plane/plane.ts'
import { parseLabelSelector } from '../../../../src/shared/kube/label-selector.ts'
import { VplaneError } from '../../../../src/shared/errors.ts'
import { FakeComposition } from '../../../support/driver/fake-composition.ts'
import { FakeDriver } from '../../../support/driver/fake-driver.ts'
import { connect, worldWithPlane } from '../../../support/driver/world-with-plane.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'

const NEVER = new AbortController().signal

/** Planes of two drivers, of which one is connected. */
async function twoDrivers() {
  const local = new FakeDriver()
  const kubernetes = new FakeDriver({ name: 'kubernetes', hostContext: 'work' })
  const world = new FakeComposition({ drivers: [kubernetes, local] })
  await world.plane('zulu', { driver: local })
  await world.plane('mike', { driver: kubernetes })
  await world.plane('alfa', { driver: local })
  await connect(world, { name: 'mike' })
  return { local, kubernetes, world }
}

const describe = (world: FakeComposition, name: string) =>
  describeControlPlane(world, { name, signal: NEVER })

/** `name phase`, with a star when it is connected. */
async function linesOf(world: FakeComposition): Promise<string[]> {
  const listed = await listControlPlanes(world)
  return listed.map(
    ({ isConnected, plane, status }) => `${plane.name} ${status.phase}${isConnected ? ' *' : ''}`,
  )
}

test('lists nothing where nothing is', async () => {
  expect(await listControlPlanes(new FakeComposition())).toEqual([])
  expect(await listControlPlanes(new FakeComposition({ drivers: [] }))).toEqual([])
})

test('lists the planes of all drivers by name, as they are now', async () => {
  const { local, world } = await twoDrivers()
  local.inside({ name: 'alfa' }).crash('etcd')
  await pauseControlPlane(world, { name: 'zulu', withoutSnapshot: true, signal: NEVER })

  expect(await linesOf(world)).toEqual(['alfa NotReady', 'mike Ready *', 'zulu Paused'])
  expect(world.ui.warnings).toEqual([])
})

test('lists only planes with the wanted labels; those of an unreadable plane are unknown', async () => {
  const local = new FakeDriver()
  const world = new FakeComposition({ drivers: [local] })
  await world.plane('shop', { labels: { team: 'shop' } })
  await world.plane('bare')
  const unreadable = { name: 'bad', driver: 'local', reason: 'plane.json is damaged' } as const
  const readable = local.list.bind(local)
  local.list = async (scope) => [...(await readable(scope)), unreadable]
  const namesOf = async (selector: string) => {
    const listed = await listControlPlanes(world, { labels: parseLabelSelector(selector) })
    return listed.map(({ plane }) => plane.name)
  }

  expect(await namesOf('team=shop')).toEqual(['shop'])
  expect(await namesOf('!team')).toEqual(['bare'])
})

test('finds connected planes for users who may not list all namespaces', async () => {
  const { kubernetes, world } = await twoDrivers()
  const told: unknown[] = []
  kubernetes.list = async (scope) => {
    told.push(await scope?.likelyNamespaces?.())
    return []
  }

  await listControlPlanes(world)

  expect(told).toEqual([['default']])
})

test('does not take a namesake in another place for connected', async () => {
  const { local, world } = await twoDrivers()
  await world.plane('mike', { driver: local })

  const connected = (await listControlPlanes(world)).filter(({ isConnected }) => isConnected)

  expect(connected).toMatchObject([{ plane: { driver: 'kubernetes', namespace: 'default' } }])
})

test('does not take the plane of another driver for connected', async () => {
  const { local, world } = await twoDrivers()
  const planes = () => Promise.resolve([{ name: 'zulu', driver: 'kubernetes' } as const])
  const { tunnels, ui } = world

  const listed = await listControlPlanes({ drivers: [local], ui, tunnels, contexts: { planes } })

  expect(listed.map(({ isConnected }) => isConnected)).toEqual([false, false])
})

test('lists a plane that cannot be read, with the reason', async () => {
  const world = new FakeComposition()
  await world.driver.damage(await world.plane('dev'))
  const reason = 'plane.json is damaged'

  expect(await listControlPlanes(world)).toEqual([
    {
      plane: { name: 'dev', driver: 'local', reason },
      status: { phase: 'Unreadable', reason, components: [] },
      isConnected: false,
    },
  ])
})

test('leaves out a plane that was deleted since it was listed', async () => {
  const { local, world } = await twoDrivers()
  const status = local.status.bind(local)
  local.status = async (plane) => {
    local.planes.delete('/zulu')
    return status(plane)
  }

  expect(await linesOf(world)).toEqual(['alfa Ready', 'mike Ready *'])
})

test('shows a plane whose status cannot be looked up, and the others as well', async () => {
  const { local, world } = await twoDrivers()
  local.status = () => Promise.reject(new Error('ca.crt is gone'))

  const listed = await listControlPlanes(world)

  expect(listed.map(({ status }) => status.reason)).toEqual([
    'ca.crt is gone',
    undefined,
    'ca.crt is gone',
  ])
  expect(listed[0]?.status.phase).toBe('NotReady')
})

test('lists the planes of one driver when another fails, with a warning', async () => {
  const { kubernetes, world } = await twoDrivers()
  kubernetes.failure = new VplaneError('UNREACHABLE', 'cannot reach https://work')

  expect(await linesOf(world)).toEqual(['alfa Ready', 'zulu Ready'])
  expect(world.ui.warnings).toEqual([
    'planes of the driver kubernetes cannot be listed: cannot reach https://work',
  ])
})

test('gives the reason for two warnings once', async () => {
  const { kubernetes, world } = await twoDrivers()
  kubernetes.failure = new VplaneError('INVALID_SPEC', 'kubeconfig "config": invalid YAML')
  world.contexts.failure = kubernetes.failure

  await listControlPlanes(world)
  const listed = world.ui.warnings.splice(0)
  await describe(world, 'alfa')

  expect(listed).toEqual([expect.stringMatching(/: kubeconfig "config": invalid YAML$/)])
  expect(world.ui.notes).toEqual([expect.stringContaining('kubeconfig "config": invalid YAML')])
  expect(world.ui.warnings).toEqual([])
})

test('lists planes although the kubeconfig cannot be read, with a warning', async () => {
  const { world } = await twoDrivers()
  world.contexts.failure = new VplaneError('FAILED', 'config is no kubeconfig')

  expect(await linesOf(world)).toEqual(['alfa Ready', 'mike Ready', 'zulu Ready'])
  expect(world.ui.warnings).toEqual([
    'which planes have a context is unknown: config is no kubeconfig',
  ])
})

test('describes one plane as it is', async () => {
  const { local, world } = await twoDrivers()
  local.inside({ name: 'zulu' }).crash('kube-apiserver')

  const { isConnected, plane, status } = await describe(world, 'zulu')

  expect(isConnected).toBe(false)
  expect(plane).toMatchObject({ name: 'zulu', driver: 'local' })
  expect(status).toMatchObject({ phase: 'NotReady', reason: 'kube-apiserver ended: panic' })
  expect((await describe(world, 'mike')).isConnected).toBe(true)
})

test('takes no plane for ready whose API does not answer, whatever its probes tell', async () => {
  const { inside, world } = await worldWithPlane()
  const before = await describe(world, 'dev')
  inside.api.isUp = false

  const { status } = await describe(world, 'dev')

  expect(before.status.phase).toBe('Ready')
  expect(status).toMatchObject({
    phase: 'NotReady',
    reason: 'all components run, but from this machine the API does not report that it is ready',
  })
})

test('describes a plane that cannot be read, and refuses one that does not exist', async () => {
  const world = new FakeComposition()
  await world.driver.damage(await world.plane('dev'))

  expect((await describe(world, 'dev')).status.phase).toBe('Unreadable')
  expect((await rejectionOf(describe(world, 'other'))).code).toBe('CONTROL_PLANE_NOT_FOUND')
})

test('shows the tunnel that leads to a plane, and lists without knowing of any', async () => {
  const { world } = await twoDrivers()
  const hosted = (await listControlPlanes(world)).find(({ plane }) => plane.namespace)
  expect.assert(hosted !== undefined)
  world.tunnels.open(referenceOf(hosted.plane))

  const withTunnel = await listControlPlanes(world)
  world.tunnels.failure = new Error('no folder')
  const without = await listControlPlanes(world)

  expect(withTunnel.filter(({ tunnel }) => tunnel !== undefined)).toMatchObject([
    { plane: { name: hosted.plane.name }, tunnel: { address: '127.0.0.1:21000', isUp: true } },
  ])
  expect(without).toHaveLength(withTunnel.length)
  expect(world.ui.warnings).toEqual(['which planes have a tunnel is unknown: no folder'])
})

test('lists the planes of one namespace, and of one driver', async () => {
  const { kubernetes, local, world } = await twoDrivers()
  await world.plane('other', { driver: kubernetes, namespace: 'team' })

  const inTeam = await listControlPlanes(world, { namespace: 'team' })
  const here = await listControlPlanes(world, { driver: 'local' })

  expect(inTeam.map(({ plane }) => plane.name)).toEqual(['other'])
  expect(here).toHaveLength(local.planes.size)
})

test('does not wait forever for a host cluster that no option names', async () => {
  const { kubernetes, local, world } = await twoDrivers()
  kubernetes.isSilent = true

  const listed = await listControlPlanes(world, { hostPatienceMs: 40 })

  expect(listed).toHaveLength(local.planes.size)
  expect(world.ui.warnings).toEqual([expect.stringContaining('no answer within')])
})

test('fails with what the host cluster fails with when it was named', async () => {
  const { kubernetes, world } = await twoDrivers()
  kubernetes.failure = new Error('no host')

  await expect(listControlPlanes(world, { namespace: 'team' })).rejects.toThrow('no host')
})

test('describes the events of a hosted plane, and does not read them for a list', async () => {
  const { world } = await worldWithPlane({ driver: { name: 'kubernetes' } })

  const described = await describe(world, 'dev')
  const [listed] = await listControlPlanes(world)

  expect(described.status.events).toHaveLength(1)
  expect(described.status.components[0]).toMatchObject({ replicas: { wanted: 1, ready: 1 } })
  expect(listed?.status).not.toHaveProperty('events')
})

test('describes unfinished rotations, and which stage was interrupted', async () => {
  const { inside, world } = await worldWithPlane()
  inside.taken.set('ca', 'prepare')
  inside.taken.set('encryption-key', 'switch')
  const rotations = async () => (await describe(world, 'dev')).rotations

  const between = await rotations()
  inside.unfinished = { keys: 'service-account-key', stage: 'complete' }
  const within = await rotations()
  inside.rotation = () => {
    throw new Error('no keys')
  }

  const [ca, encryption] = [
    { keys: 'ca', next: 'switch', isCutOff: false },
    { keys: 'encryption-key', next: 'complete', isCutOff: false },
  ]
  expect(between).toEqual([ca, encryption])
  expect(within).toEqual([
    ca,
    { keys: 'service-account-key', next: 'complete', isCutOff: true },
    encryption,
  ])
  expect(await rotations()).toBeUndefined()
})
