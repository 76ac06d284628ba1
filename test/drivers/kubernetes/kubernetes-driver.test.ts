import { expect, test } from 'vitest'
import { isReadable } from '../../../src/control-plane/plane/unreadable-plane.ts'
import type { UserSpec } from '../../../src/control-plane/spec/spec.ts'
import { KubernetesDriver } from '../../../src/drivers/kubernetes/kubernetes-driver.ts'
import { VplaneError } from '../../../src/shared/errors.ts'
import { keeperStatusData } from '../../../src/manifests/keeper-status.ts'
import { syncerStatusData } from '../../../src/manifests/syncer-status.ts'
import { objectLabels } from '../../../src/manifests/object-names.ts'
import type { MemoryHostHooks } from '../../support/api/memory-host-api.ts'
import { refusing } from '../../support/driver/refusing.ts'
import { rejectionOf } from '../../support/thrown-by.ts'
import { FakeCluster, putObject, requestFor } from './fake-cluster.ts'
import { problemOf } from './problem-of.ts'

const BASE = '/api/v1/namespaces/team-a'
const APPS = '/apis/apps/v1/namespaces/team-a'

test('creates a plane and finds it by its name, and no other by a similar one', async () => {
  const { driver, make } = driverOnCluster()

  const plane = await make('seen')

  expect(plane).toMatchObject({
    name: 'seen',
    driver: 'kubernetes',
    namespace: 'team-a',
    hostContext: 'lab',
    desired: 'running',
  })
  expect(await driver.find('seen')).toEqual([plane])
  expect(await driver.find('seen', { namespace: 'team-b' })).toEqual([])
  expect(await driver.find('see')).toEqual([])
  expect(await driver.find('seen-')).toEqual([])
  expect(await driver.list()).toEqual([plane])
})

test('reports that a plane is ready, its address and its events', async () => {
  const { driver, make } = driverOnCluster()
  const plane = await make('seen')

  const brief = await driver.status(plane)
  const full = await driver.status(plane, { events: true })

  expect(brief).toMatchObject({ phase: 'Ready', server: 'https://vplane-seen-api.team-a.svc' })
  expect(brief).not.toHaveProperty('events')
  expect(full).toMatchObject({ events: [], endpoints: ['https://vplane-seen-api.team-a.svc'] })
})

test('shows what a syncer reported only while a syncer is ready', async () => {
  const { cluster, driver } = driverOnCluster()
  await cluster.storeSynced('dev')
  const metadata = { name: 'vplane-dev-syncer-status', namespace: 'team-a' }
  const report = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata,
    data: syncerStatusData('ignored'),
  }
  cluster.api.put(`${BASE}/configmaps/vplane-dev-syncer-status`, report)
  const [plane] = (await driver.find('dev')).filter(isReadable)
  const status = () => plane && driver.status(plane, { events: true })

  expect(await status()).toMatchObject({ networkPolicies: 'ignored' })
  cluster.api.remove(`${BASE}/pods/vplane-dev-syncer-0`)
  expect(await status()).not.toHaveProperty('networkPolicies')
})

test('names the volumes of the pods that a plane runs as they are named in it', async () => {
  const { cluster, driver, make } = driverOnCluster()
  const without = await make('seen')
  await cluster.storeSynced('dev')
  cluster.putSynced('dev', ['persistentvolumeclaims', 'b'])
  cluster.putSynced('dev', ['persistentvolumeclaims', 'a'])
  const [plane = without] = await driver.find('dev')

  expect(await driver.pods.volumes(without)).toEqual([])
  expect(await driver.pods.addresses(without)).toEqual([])
  expect(await driver.pods.volumes(plane)).toEqual([
    { name: 'default/a', uid: 'uid of a' },
    { name: 'default/b', uid: 'uid of b' },
  ])
})

test('names the volumes that a plane keeps after it has run pods', async () => {
  const { cluster, driver, make } = driverOnCluster()
  const plane = await make('dev')
  cluster.putSynced('dev', ['persistentvolumeclaims', 'a'])

  expect(await driver.pods.volumes(plane)).toEqual([{ name: 'default/a', uid: 'uid of a' }])
})

test('lists many planes with their status by a few requests', async () => {
  const { cluster, driver, make } = driverOnCluster()
  const statuses = async () => {
    const planes = (await driver.list()).filter(isReadable)
    return Promise.all(planes.map((plane) => driver.status(plane)))
  }
  await Promise.all(['a', 'b', 'c', 'd'].map((name) => make(name)))
  // The first look notes that etcd has stored something.
  await statuses()
  cluster.api.requests.length = 0

  const phases = await statuses()

  expect(phases.map(({ phase }) => phase)).toEqual(['Ready', 'Ready', 'Ready', 'Ready'])
  expect(cluster.api.requests).toHaveLength(5)
})

test('lists many planes that are exposed and that an operator keeps by a few requests', async () => {
  const userSpec: UserSpec = { idle: '1h', expose: { type: 'load-balancer' } }
  const { cluster, driver } = driverOnCluster()
  const names = Array.from({ length: 12 }, (_, index) => `plane-${index}`)
  await Promise.all(
    names.map((name) => cluster.create(name, { userSpec, declaredBy: 'a ControlPlane' })),
  )
  const status = { loadBalancer: { ingress: [{ ip: '192.0.2.7' }] } }
  await cluster.api.patch(`${BASE}/services/vplane-plane-7-api`, { status }, { type: 'merge' })
  const labels = objectLabels('plane-3', 'keeper')
  putObject(cluster.api, ['ConfigMap', { name: 'vplane-plane-3-keeper-status', labels }], {
    data: keeperStatusData({ idle: { usedAt: cluster.time, mark: '1' } }),
  })
  const statuses = async () => {
    const planes = (await driver.list()).filter(isReadable)
    return new Map(
      await Promise.all(planes.map(async (one) => [one.name, await driver.status(one)] as const)),
    )
  }
  await statuses()
  cluster.api.requests.length = 0

  const found = await statuses()

  expect(cluster.api.requests).toHaveLength(7)
  expect(found.get('plane-7')?.server).toBe('https://192.0.2.7')
  expect(found.get('plane-3')?.usedAt).toEqual(cluster.time)
  expect(found.get('plane-4')?.usedAt).toBeUndefined()
})

test('diagnoses components only when they do not run', async () => {
  const asked: string[] = []
  const { cluster, driver, make } = driverOnCluster({
    diagnose: ({ hostContext, name }) => {
      asked.push(`${name} on ${hostContext}`)
      return Promise.resolve([problemOf('etcd')])
    },
  })
  const plane = await make('seen')

  await driver.status(plane)
  cluster.arePodsReady = false
  cluster.api.remove(`${BASE}/pods/vplane-seen-etcd-0`)
  const status = await driver.status(plane)

  expect(asked).toEqual(['seen on lab'])
  expect(status).toMatchObject({ phase: 'NotReady', reason: 'etcd: its image cannot be had' })
})

test('returns a status for a plane whose host does not answer', async () => {
  let isDown = false
  const { driver, make } = driverOnCluster(refusing(503, 'not now', () => isDown))
  const plane = await make('seen')
  isDown = true

  const status = { phase: 'NotReady', reason: 'not now', components: [] }
  expect(await driver.status(plane)).toEqual(status)
})

test('returns no status of a plane that does not exist', async () => {
  const { driver, make, operation } = driverOnCluster()
  const plane = await make('seen')
  await driver.remove(plane, operation())

  expect((await rejectionOf(driver.status(plane))).code).toBe('CONTROL_PLANE_NOT_FOUND')
  expect((await rejectionOf(driver.start(plane, operation()))).code).toBe('CONTROL_PLANE_NOT_FOUND')
})

test('starts what someone deleted, and does not cache the failure', async () => {
  const { cluster, driver, make, operation } = driverOnCluster()
  const plane = await make('seen')
  const path = `${APPS}/deployments/vplane-seen-kube-apiserver`
  await cluster.api.patch(path, { spec: { replicas: 0 } }, { type: 'merge' })

  expect(await driver.isRunning(plane)).toBe(false)
  expect((await rejectionOf(driver.checkComponents(plane))).code).toBe('COMPONENT_FAILED')

  await driver.start(plane, operation())

  expect(await driver.isRunning(plane)).toBe(true)
  await expect(driver.checkComponents(plane)).resolves.toBeUndefined()
})

test('limits requests to the host', async () => {
  const { cluster, driver, make } = driverOnCluster()
  const plane = await make('seen')
  await driver.checkComponents(plane)
  cluster.api.requests.length = 0

  await Promise.all([1, 2, 3].map(() => driver.checkComponents(plane)))

  expect(cluster.api.requests).toEqual([])
})

test('pauses a plane, and starts it again', async () => {
  const { driver, make, operation } = driverOnCluster()
  const plane = await make('seen')

  await driver.pause(plane, operation())
  const resting = await driver.status(plane)
  const [found] = await driver.find('seen')
  await driver.start(plane, operation())

  expect(resting.phase).toBe('Paused')
  expect(found).toMatchObject({ desired: 'paused' })
  expect(await driver.status(plane)).toMatchObject({ phase: 'Ready' })
})

test('lists a plane with retained data as one to create again or to delete', async () => {
  const { driver, make, operation } = driverOnCluster({}, {})
  const plane = await make('seen')

  await driver.remove(plane, operation(), { keepData: true })
  const [found] = await driver.find('seen')

  expect(found).toEqual({
    name: 'seen',
    driver: 'kubernetes',
    namespace: 'team-a',
    hostContext: 'lab',
    isKept: true,
    reason: 'it was deleted and its data kept',
  })
  expect(await driver.remove(found ?? plane, operation())).toEqual([])
  expect(await driver.find('seen')).toEqual([])
})

test('lists a plane that it cannot read among the others', async () => {
  const { cluster, driver, make } = driverOnCluster()
  await make('seen')
  await make('damaged')
  await cluster.damageRecord('damaged')

  const [damaged, seen] = (await driver.list()).toSorted((one, other) =>
    one.name.localeCompare(other.name),
  )

  expect(damaged).toMatchObject({ name: 'damaged', reason: expect.stringContaining('is damaged') })
  expect(seen).toHaveProperty('spec')
})

test('signs credentials and returns the endpoint', async () => {
  const { driver, make } = driverOnCluster()
  const plane = await make('seen')

  const endpoint = await driver.endpoint(plane)
  const credential = await driver.issueCredential(plane, { user: 'jane', groups: [] }, 60_000)

  expect(endpoint).toMatchObject({ isTransient: true, server: 'https://127.0.0.1:20443/seen' })
  expect(endpoint.certificateAuthority).toContain('BEGIN CERTIFICATE')
  expect(credential.expiresAt).toEqual(new Date('2026-06-01T12:01:00Z'))
})

test('reads logs', async () => {
  const { cluster, driver, make } = driverOnCluster()
  const plane = await make('seen')
  cluster.api.texts.set(`${BASE}/pods/vplane-seen-etcd-0/log`, 'one\n')
  const { signal } = new AbortController()

  const log = driver.logs(plane, { component: 'etcd', follow: false }, signal)

  expect(await Array.fromAsync(log)).toEqual([
    { text: 'one\n', pod: 'vplane-seen-etcd-0', isOneOfSeveral: false },
  ])
})

test('reports a missing host cluster when it is needed, and not before', async () => {
  const missing = new VplaneError('USAGE', 'there is no kubeconfig')
  const { context } = driverOnCluster()
  const driver = new KubernetesDriver({ ...context, host: () => Promise.reject(missing) })

  expect(await rejectionOf(driver.list())).toBe(missing)
})

test('deletes nothing of others, and reports what remains', async () => {
  const { cluster, driver, make, operation } = driverOnCluster()
  const plane = await make('seen')
  putObject(cluster.api, ['ConfigMap', { name: 'copy', labels: objectLabels('seen') }])

  expect(await driver.remove(plane, operation())).toEqual([
    expect.objectContaining({ what: 'ConfigMap "copy"' }),
  ])
})

type Parts = Pick<MemoryHostHooks, 'onRequest'> &
  Partial<ConstructorParameters<typeof KubernetesDriver>[0]>

function driverOnCluster(
  { onRequest = () => {}, ...parts }: Parts = {},
  userSpec: UserSpec = { ephemeral: true },
) {
  const cluster = new FakeCluster({ onRequest })
  const context = cluster.driverContext(parts)
  const driver = new KubernetesDriver(context)
  return {
    cluster,
    context,
    driver,
    operation: () => cluster.operation(),
    make: (name: string) => driver.create(requestFor(name, { userSpec }), cluster.operation()),
  }
}
