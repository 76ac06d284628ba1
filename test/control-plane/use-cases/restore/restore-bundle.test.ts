import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import type { PlaneTools } from '../../../../src/control-plane/driver/plane-tools.ts'
import { createSnapshot } from '../../../../src/control-plane/use-cases/snapshot/create-snapshot.ts'
import { restoreBundle } from '../../../../src/control-plane/use-cases/restore/restore-bundle.ts'
import { VplaneError } from '../../../../src/shared/errors.ts'
import { FakeComposition } from '../../../support/driver/fake-composition.ts'
import { FakeDriver } from '../../../support/driver/fake-driver.ts'
import { temporarySnapshots } from '../../../support/machine/temporary-snapshots.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'

const NEVER = new AbortController().signal
const DEV = { name: 'dev', signal: NEVER }
const OPEN = { isConfirmed: false, timeoutMs: 2000, signal: NEVER }

test.for([
  ['the same keys', false, { 'sa.key': 'token key of local-1' }],
  ['keys of its own', true, { 'sa.key': 'token key of kubernetes-1' }],
] as const)('makes a plane of a bundle elsewhere, with %s', async ([, asClone, keys]) => {
  await using store = await temporarySnapshots()
  const host = new FakeDriver({ name: 'kubernetes' })
  const world = new FakeComposition({ ...store, drivers: [new FakeDriver(), host] })
  const first = await world.plane('dev', { version: '1.35', clusterDomain: 'dev.test' })
  putConfigMap(world, 'mine')
  const { bundle, source } = await bundleOf(store, world)
  const options = { ...OPEN, source, bundle, driver: host, asClone }

  const plane = await restoreBundle(world, options)
  const again = await rejectionOf(restoreBundle(world, options))

  expect.assert(plane !== undefined)
  const { api, keys: found } = host.inside(plane)
  expect(plane).toMatchObject({ name: 'dev', driver: 'kubernetes', desired: 'running' })
  expect(plane.spec).toMatchObject({ version: first.spec.version, clusterDomain: 'dev.test' })
  expect(plane.spec.host?.etcd.replicas).toBe(1)
  expect(plane.spec.encryption).toBeUndefined()
  expect(found).toMatchObject(keys)
  expect(api.objects.has('/api/v1/namespaces/default/configmaps/test-mine')).toBe(true)
  expect(again.code).toBe('CONTROL_PLANE_EXISTS')
})

const LOST = { name: 'default/kubernetes', address: '10.96.7.9', why: 'is not in 10.112.0.0/16' }
const HOST = { host: { namespace: 'team' } }

test('makes a plane that runs pods of a bundle, without what lay on their volumes', async () => {
  await using store = await temporarySnapshots()
  const { bundle, host, old, source, world } = await syncedBundle(store)
  const options = { ...OPEN, ...HOST, bundle, source, driver: host, asClone: false }

  const refusal = await rejectionOf(restoreBundle(world, options))
  const onMachine = await rejectionOf(restoreBundle(world, { ...options, driver: old }))
  const plane = await restoreBundle(world, { ...options, withoutVolumes: true })

  expect.assert(plane !== undefined)
  const { calls } = host.inside(plane).api
  expect(refusal.message).toContain('volumes of its pods: default/a')
  expect(onMachine.code).toBe('UNSUPPORTED')
  expect(plane.spec.host?.sync).toBeDefined()
  expect(world.ui.notes).toEqual([])
  expect(calls.filter((call) => call.includes('/pods/'))).toEqual([
    'delete /api/v1/namespaces/default/pods/placed',
  ])
})

test('asks before Services of a plane get other addresses, and does not again', async () => {
  await using store = await temporarySnapshots()
  const { bundle, host, source, world } = await syncedBundle(store, [false])
  const given = { ...OPEN, ...HOST, bundle, driver: host, asClone: false, withoutVolumes: true }
  host.pods.answer = { lost: [LOST] }

  const refusal = await rejectionOf(restoreBundle(world, { ...given, source }))
  const missing = { ...source, file: join(store.folder, 'missing') }
  const sure = { ...given, source: missing, isConfirmed: true }
  await expect(restoreBundle(world, sure)).rejects.toThrow('missing')
  await restoreBundle(world, { ...given, source })

  expect(refusal.code).toBe('ABORTED')
  expect(world.ui.questions).toEqual(['Restore "dev" although Services get other addresses?'])
  expect(world.ui.notes.slice(0, 2)).toEqual([
    'Services that get another address there:',
    '  default/kubernetes: 10.96.7.9 is not in 10.112.0.0/16',
  ])
})

/** The bundle of a plane that runs a pod with a volume, and a host where it is not. */
async function syncedBundle(
  store: Awaited<ReturnType<typeof temporarySnapshots>>,
  answers: boolean[] = [],
) {
  const old = new FakeDriver({ name: 'local' })
  const [first, host] = [0, 1].map(() => new FakeDriver({ name: 'kubernetes' }))
  expect.assert(first !== undefined && host !== undefined)
  const world = new FakeComposition({ ...store, drivers: [first], answers })
  const { api } = first.inside(await world.plane('dev', { sync: {} }))
  first.pods.claims = ['default/a']
  first.pods.services = [LOST]
  api.put('/api/v1/pods', {
    apiVersion: 'v1',
    kind: 'PodList',
    metadata: {},
    items: [
      podOf('placed', { nodeName: 'there' }),
      podOf('new', { nodeName: 'here' }, '2026-01-01T00:00:01Z'),
      podOf('waits', {}),
    ],
  })
  const { bundle, source } = await bundleOf(store, world)
  world.drivers.splice(0, 1, host)
  world.ui.notes.length = 0
  return { bundle, host, old, source, world }
}

function podOf(name: string, spec: object, creationTimestamp = '2025-12-31T23:00:00Z') {
  return { metadata: { name, namespace: 'default', creationTimestamp }, spec }
}

test('continues an interrupted restore of a bundle', async () => {
  await using store = await temporarySnapshots()
  const host = new FakeDriver({ name: 'kubernetes' })
  const world = new FakeComposition({ ...store, drivers: [new FakeDriver(), host] })
  await world.plane('dev')
  const { bundle, source } = await bundleOf(store, world)
  const options = { ...OPEN, bundle, driver: host, asClone: false }
  const missing = { ...source, file: join(store.folder, 'missing') }

  await expect(restoreBundle(world, { ...options, source: missing })).rejects.toThrow('missing')
  const [halfMade] = await host.find('dev')
  const plane = await restoreBundle(world, { ...options, source })

  expect(halfMade).toMatchObject({ desired: 'paused', isHalfRestored: true })
  expect(plane).toMatchObject({ desired: 'running' })
  expect(await host.find('dev')).toEqual([plane])
})

test('makes nothing of a bundle when a program is missing', async () => {
  await using store = await temporarySnapshots()
  const here = new FakeDriver()
  const world = new FakeComposition({ ...store, drivers: [new FakeDriver(), here] })
  await world.plane('dev')
  const { bundle, source } = await bundleOf(store, world)
  const options = { ...OPEN, bundle, source, driver: here, asClone: false }
  const missing = new VplaneError('FAILED', 'cannot get etcdutl')
  const ensure = vi.fn<PlaneTools['ensure']>(() => Promise.reject(missing))
  here.tools = { ensure }

  const failure = await rejectionOf(restoreBundle(world, options))

  expect(failure).toBe(missing)
  expect(ensure.mock.lastCall?.[0].forRestore).toBe(true)
  expect(here.calls).toEqual([])
  expect(await here.find('dev')).toEqual([])
})

async function bundleOf(
  { snapshots }: Awaited<ReturnType<typeof temporarySnapshots>>,
  world: FakeComposition,
) {
  const passphrase = () => Promise.resolve('secret')
  const { id = '' } = await createSnapshot(world, { ...DEV, passphrase })
  const source = await snapshots.open(id, { passphrase, signal: NEVER })
  if (source.bundle === undefined) {
    throw new Error('it is no bundle')
  }
  return { bundle: source.bundle, source }
}

test('shows how it would create a plane from a bundle in a dry run', async () => {
  await using store = await temporarySnapshots()
  const host = new FakeDriver({ name: 'kubernetes' })
  const world = new FakeComposition({ ...store, drivers: [new FakeDriver(), host] })
  await world.plane('dev')
  const { bundle, source } = await bundleOf(store, world)
  const options = { ...OPEN, bundle, source, driver: host, asClone: true, isDryRun: true }

  const plane = await restoreBundle(world, options)

  expect(plane).toBeUndefined()
  expect(await host.find('dev')).toEqual([])
  expect(world.ui.notes).toContain('  1. create "dev" with new CAs and keys, without starting it')
})

function putConfigMap(world: FakeComposition, name: string): void {
  const path = `/api/v1/namespaces/default/configmaps/test-${name}`
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } }
  world.driver.inside({ name: 'dev' }).api.put(path, object)
}
