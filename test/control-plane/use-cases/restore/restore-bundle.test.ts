import { expect, test, vi } from 'vitest'
import type { PlaneTools } from '../../../../src/control-plane/driver/plane-tools.ts'
import { createSnapshot } from '../../../../src/control-plane/use-cases/snapshot/create-snapshot.ts'
import { restoreBundle } from '../../../../src/control-plane/use-cases/restore/restore-bundle.ts'
import type { UserSpec } from '../../../../src/control-plane/spec/spec.ts'
import { VplaneError } from '../../../../src/shared/errors.ts'
import type { FakeComposition } from '../../../support/driver/fake-composition.ts'
import { FakeDriver } from '../../../support/driver/fake-driver.ts'
import { HOSTED, worldWithSnapshots } from '../../../support/driver/world-with-plane.ts'
import type { temporarySnapshots } from '../../../support/cli/temporary-snapshots.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'

const NEVER = new AbortController().signal
const CONFIG_MAP = '/api/v1/namespaces/default/configmaps/test-mine'
const OPEN = { isConfirmed: false, timeoutMs: 2000, signal: NEVER }

test.for([
  ['the same keys', false, { 'sa.key': 'token key of local-1' }],
  ['keys of its own', true, { 'sa.key': 'token key of kubernetes-1' }],
] as const)('makes a plane of a bundle elsewhere, with %s', async ([, asClone, keys]) => {
  const spec = { version: '1.35', clusterDomain: 'dev.test' }
  const { first, host, options: usual, world } = await bundleFromHere(spec)
  const options = { ...usual, asClone }

  const { plane } = await restoreBundle(world, options)
  const again = await rejectionOf(restoreBundle(world, options))

  expect.assert(plane !== undefined)
  const { api, keys: found } = host.inside(plane)
  expect(plane).toMatchObject({ name: 'dev', driver: 'kubernetes', desired: 'running' })
  expect(plane.spec).toMatchObject({ version: first.spec.version, clusterDomain: 'dev.test' })
  expect(plane.spec.host?.etcd.replicas).toBe(1)
  expect(plane.spec.encryption).toBeUndefined()
  expect(found).toMatchObject(keys)
  expect(api.objects.has(CONFIG_MAP)).toBe(true)
  expect(again.code).toBe('CONTROL_PLANE_EXISTS')
})

const LOST = { name: 'default/kubernetes', address: '10.96.7.9', why: 'is not in 10.112.0.0/16' }

test('makes a plane that runs pods of a bundle, without what lay on their volumes', async () => {
  const { host, options, world } = await syncedBundle()
  const old = new FakeDriver()

  const refusal = await rejectionOf(restoreBundle(world, options))
  const onMachine = await rejectionOf(restoreBundle(world, { ...options, driver: old }))
  const { plane } = await restoreBundle(world, { ...options, withoutVolumes: true })

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
  const { host, options, world } = await syncedBundle([false])
  const given = { ...options, withoutVolumes: true }
  host.pods.answer = { lost: [LOST] }

  const refusal = await rejectionOf(restoreBundle(world, given))
  const missing = { ...given.source, file: '/missing' }
  const sure = { ...given, source: missing, isConfirmed: true }
  await expect(restoreBundle(world, sure)).rejects.toThrow('missing')
  await restoreBundle(world, given)

  expect(refusal.code).toBe('ABORTED')
  expect(world.ui.questions).toEqual(['Restore "dev" although Services get other addresses?'])
  expect(world.ui.notes.slice(0, 2)).toEqual([
    'Services that get another address:',
    '  default/kubernetes: 10.96.7.9 is not in 10.112.0.0/16',
  ])
})

/** The bundle of a plane that runs a pod with a volume, and a host where it is not. */
async function syncedBundle(answers: boolean[] = []) {
  const host = new FakeDriver(HOSTED.driver)
  const synced = { ...HOSTED, spec: { sync: {} }, answers }
  const { api, driver: first, store, world } = await worldWithSnapshots(synced)
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
  const options = { ...(await bundleOf(store, world)), driver: host, host: { namespace: 'team' } }
  world.drivers.splice(0, 1, host)
  world.ui.notes.length = 0
  return { host, options, world }
}

function podOf(name: string, spec: object, creationTimestamp = '2025-12-31T23:00:00Z') {
  return { metadata: { name, namespace: 'default', creationTimestamp }, spec }
}

test('continues an interrupted restore of a bundle', async () => {
  const { host, options, world } = await bundleFromHere()
  const missing = { ...options.source, file: '/missing' }

  await expect(restoreBundle(world, { ...options, source: missing })).rejects.toThrow('missing')
  const [halfMade] = await host.find('dev')
  const { plane } = await restoreBundle(world, options)

  expect(halfMade).toMatchObject({ desired: 'paused', restoring: {} })
  expect(plane).toMatchObject({ desired: 'running' })
  expect(await host.find('dev')).toEqual([plane])
})

const OTHER_KEYS = { 'ca.key': 'another', 'sa.key': 'another' }

test.for([
  { what: 'with other keys', keys: OTHER_KEYS },
  { what: 'of another version', version: '1.35.0' },
  { what: 'as a clone', asClone: true },
])('continues no restore of another bundle: $what', async ({ asClone = false, keys, version }) => {
  const { host, options, world } = await bundleFromHere()
  const { bundle, source } = options
  const missing = { ...source, file: '/missing' }
  await expect(restoreBundle(world, { ...options, source: missing })).rejects.toThrow('missing')
  const spec = { ...bundle.spec, version: version ?? bundle.spec.version }
  const other = { ...bundle, spec, keys: keys ?? bundle.keys }

  const error = await rejectionOf(restoreBundle(world, { ...options, asClone, bundle: other }))

  expect(error.code).toBe('CONFLICT')
  expect(error.message).toContain('an interrupted restore created "dev" with other keys')
  expect(await host.find('dev')).toMatchObject([{ desired: 'paused', restoring: {} }])
})

test('takes no plane with data for one that an interrupted restore of a bundle created', async () => {
  const { first, options, world } = await bundleFromHere()
  world.driver.inside(first).stored = { ...first, restoring: { from: '/data/s.db' } }

  const error = await rejectionOf(restoreBundle(world, { ...options, driver: world.driver }))

  expect(error.code).toBe('CONTROL_PLANE_EXISTS')
})

test('makes nothing of a bundle when a program is missing', async () => {
  const { host: here, options, world } = await bundleFromHere({}, new FakeDriver())
  const missing = new VplaneError('FAILED', 'cannot get etcdutl')
  const ensure = vi.fn<PlaneTools['ensure']>(() => Promise.reject(missing))
  here.tools = { ensure }

  const failure = await rejectionOf(restoreBundle(world, options))

  expect(failure).toBe(missing)
  expect(ensure.mock.lastCall?.[0].forRestore).toBe(true)
  expect(here.calls).toEqual([])
  expect(await here.find('dev')).toEqual([])
})

/** The bundle of a plane that a driver of this machine runs, and another driver to restore it. */
async function bundleFromHere(spec: UserSpec = {}, host = new FakeDriver({ name: 'kubernetes' })) {
  const { api, plane: first, store, world } = await worldWithSnapshots({ spec })
  world.drivers.push(host)
  api.put(CONFIG_MAP, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'test-mine' } })
  return { first, host, world, options: { ...(await bundleOf(store, world)), driver: host } }
}

async function bundleOf(
  { snapshots }: Awaited<ReturnType<typeof temporarySnapshots>>,
  world: FakeComposition,
) {
  const passphrase = () => Promise.resolve('secret')
  const { id = '' } = await createSnapshot(world, { name: 'dev', signal: NEVER, passphrase })
  const source = await snapshots.open(id, { passphrase, signal: NEVER })
  expect.assert(source.bundle !== undefined)
  return { ...OPEN, bundle: source.bundle, source, asClone: false }
}

test('shows how it would create a plane from a bundle in a dry run', async () => {
  const { host, options, world } = await bundleFromHere()

  const dry = await restoreBundle(world, { ...options, asClone: true, isDryRun: true })

  const actions = dry.steps.map(({ action }) => action)
  expect(dry.plane).toBeUndefined()
  expect(actions).toEqual(['create-from-bundle', 'load-bundle', 'start-components'])
  expect(await host.find('dev')).toEqual([])
  expect(world.ui.notes).toContain('  1. create "dev" with new CAs and keys, without starting it')
})
