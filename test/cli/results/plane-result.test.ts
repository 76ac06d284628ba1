import { expect, test } from 'vitest'
import { planeChoices } from '../../../src/cli/base/plane-choices.ts'
import { toPlaneDetails, toPlaneResult } from '../../../src/cli/results/plane-result.ts'
import type { PlaneStatus } from '../../../src/control-plane/status/plane-status.ts'
import { FakeComposition } from '../../support/driver/fake-composition.ts'
import { FakeDriver } from '../../support/driver/fake-driver.ts'
import { hoursFromNoon, listed, storedPlane } from '../../support/driver/some-planes.ts'

/** What is not known of a component that only has a name and a state. */
const UNKNOWN = {
  reason: null,
  instance: null,
  address: null,
  startedAt: null,
  replicas: null,
  image: null,
}
const UNREADABLE = { name: 'bad', driver: 'local', reason: 'plane.json is damaged' } as const

test('says of a plane what scripts need, and null for what there is not', () => {
  const plane = storedPlane('dev')

  expect(toPlaneResult(listed(plane))).toEqual({
    name: 'dev',
    driver: 'local',
    labels: {},
    namespace: null,
    hostContext: null,
    status: 'Ready',
    reason: null,
    version: '1.36.3',
    connected: false,
    tunnel: null,
    server: null,
    certificatesExpireAt: null,
    createdAt: '2026-06-01T11:00:00.000Z',
    outdated: false,
  })
})

test('says all that is known', () => {
  const plane = storedPlane('dev', { driver: 'kubernetes', namespace: 'team' })
  const status = {
    phase: 'NotReady',
    reason: 'etcd has ended',
    server: 'https://a:1',
    certificatesExpireAt: hoursFromNoon(1),
  } as const

  expect(toPlaneResult(listed(plane, status, true))).toMatchObject({
    namespace: 'team',
    status: 'NotReady',
    reason: 'etcd has ended',
    connected: true,
    server: 'https://a:1',
    certificatesExpireAt: '2026-06-01T13:00:00.000Z',
  })
})

test('says of a plane that cannot be read that, and nothing else', () => {
  const result = toPlaneDetails(listed(UNREADABLE, { phase: 'Unreadable' }))

  expect(result).toMatchObject({
    name: 'bad',
    status: 'Unreadable',
    components: [],
    version: null,
    createdAt: null,
    outdated: false,
    id: null,
    writtenBy: null,
    userSpec: null,
    spec: null,
  })
})

test('gives every component and both specs in the details', () => {
  const plane = storedPlane('dev', { userSpec: { ephemeral: true } })
  const startedAt = hoursFromNoon(-1)
  const components = [
    { name: 'etcd', state: 'running', instance: 'pid 7', address: 'a:1', startedAt } as const,
    { name: 'kube-apiserver', state: 'failed', reason: 'ended' } as const,
  ]

  const details = toPlaneDetails(listed(plane, { components }))

  expect(details.components).toEqual([
    { ...UNKNOWN, ...components[0], startedAt: '2026-06-01T11:00:00.000Z' },
    { ...UNKNOWN, ...components[1] },
  ])
  expect(details).toMatchObject({ id: 'id-of-dev', writtenBy: '0.1.0' })
  expect(details).toMatchObject({ userSpec: { ephemeral: true }, spec: { apiGroups: 'all' } })
})

test('offers the planes of all drivers to choose from, by name', async () => {
  const local = new FakeDriver()
  const kubernetes = new FakeDriver({ name: 'kubernetes' })
  const world = new FakeComposition({ drivers: [kubernetes, local] })
  await world.plane('zulu', { driver: kubernetes })
  await world.plane('mike', { driver: local })
  await local.damage(await world.plane('alfa', { driver: local }))

  const choices = await planeChoices(world.drivers, {})

  expect(choices.map(({ description, label }) => [label, description])).toEqual([
    ['alfa', 'local'],
    ['mike', 'local'],
    ['zulu', 'kubernetes, namespace default'],
  ])
  const zulu = { name: 'zulu', driver: 'kubernetes', namespace: 'default' }
  expect(choices.at(-1)?.selector).toMatchObject(zulu)
})

test('says of a hosted plane what the host knows, and of the tunnel', () => {
  const plane = storedPlane('dev', { driver: 'kubernetes', namespace: 'team', hostContext: 'work' })
  const at = hoursFromNoon(-0.5)
  const event = { object: 'Pod/a', reason: 'Pulled', message: 'x', count: 1 }
  const pods = { replicas: { wanted: 1, ready: 1 }, image: 'etcd:3' }
  const status: Partial<PlaneStatus> = {
    endpoints: ['https://a.team.svc:443'],
    components: [{ name: 'etcd', state: 'running', ...pods }],
    events: [{ at, level: 'normal', ...event }],
  }
  const tunnel = { plane, address: '127.0.0.1:21443', isUp: false, problem: 'log in' }

  const details = toPlaneDetails({ ...listed(plane, status), tunnel })

  expect(details).toMatchObject({
    hostContext: 'work',
    tunnel: { address: '127.0.0.1:21443', up: false, problem: 'log in' },
    endpoints: ['https://a.team.svc:443'],
    components: [pods],
    events: [{ at: '2026-06-01T11:30:00.000Z', level: 'normal', ...event }],
  })
})
