import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import {
  ENCRYPTION_FILE,
  encryptionConfiguration,
  type EncryptionKey,
  encryptionKey,
} from '../../../../src/control-plane/components/encryption-configuration.ts'
import type { PlaneTools } from '../../../../src/control-plane/driver/plane-tools.ts'
import { createSnapshot } from '../../../../src/control-plane/use-cases/snapshot/create-snapshot.ts'
import { pauseControlPlane } from '../../../../src/control-plane/use-cases/stop/pause-control-plane.ts'
import {
  restoreControlPlane,
  type RestoreOptions,
} from '../../../../src/control-plane/use-cases/restore/restore-control-plane.ts'
import { VplaneError } from '../../../../src/shared/errors.ts'
import { etcdSnapshot } from '../../../support/data/etcd-snapshot.ts'
import { FakeComposition } from '../../../support/driver/fake-composition.ts'
import { temporarySnapshots } from '../../../support/machine/temporary-snapshots.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'

const NEVER = new AbortController().signal
const DEV = { name: 'dev', signal: NEVER }
const SURE = { ...DEV, force: true, isConfirmed: true, timeoutMs: 2000 }
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases'

test('puts the data of a snapshot in place, and keeps a snapshot of what was there', async () => {
  await using store = await temporarySnapshots()
  const world = new FakeComposition(store)
  const { api } = world.driver.inside(await world.plane('dev'))
  putConfigMap(world, 'old')
  const { id: from = '' } = await createSnapshot(world, DEV)
  putConfigMap(world, 'new')

  const { former } = await restore(store, world, { from })

  expect(nameOfConfigMaps(world)).toEqual(['old'])
  expect(world.driver.calls).toContain('restore dev after 7')
  await restore(store, world, { from: former?.id ?? '' })
  expect(nameOfConfigMaps(world)).toEqual(['old', 'new'])
  expect(api.objects.size).toBeGreaterThan(0)
})

test('deletes the Leases of leaders from before, and no others', async () => {
  await using store = await temporarySnapshots()
  const world = new FakeComposition(store)
  const { api } = world.driver.inside(await world.plane('dev'))
  const items = [
    leaseOf('kube-controller-manager', '2025-12-31T23:59:59.000000Z'),
    leaseOf('kube-scheduler', '2026-01-01T00:00:01.000000Z'),
    leaseOf('apiserver-x', '2025-12-31T23:00:00.000000Z', {
      'apiserver.kubernetes.io/identity': 'kube-apiserver',
    }),
  ]
  api.put(LEASES, { apiVersion: 'v1', kind: 'LeaseList', metadata: {}, items })
  const { id: from = '' } = await createSnapshot(world, DEV)

  await restore(store, world, { from })

  const deletions = api.calls.filter((call) => call.startsWith('delete'))
  expect(deletions).toEqual([
    `delete ${LEASES}/kube-controller-manager`,
    // Of data from before a rotation, and of a clone, it has CAs that are not those of the plane.
    'delete /api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication',
  ])
})

test.for([
  [
    'whose etcd does not run',
    {},
    'No snapshot of "dev" can be taken, as its etcd does not run; its current data is kept beside the new data.',
  ],
  [
    'of which none is wanted',
    { withoutSnapshot: true },
    'No snapshot of "dev" is taken; its current data is kept beside the new data.',
  ],
] as const)(
  'warns before it asks that it takes no snapshot of a plane %s',
  async ([, said, line]) => {
    await using store = await temporarySnapshots()
    const world = new FakeComposition({ ...store, answers: [false, true] })
    await world.plane('dev')
    const { id: from = '' } = await createSnapshot(world, DEV)
    if (!('withoutSnapshot' in said)) {
      await pauseControlPlane(world, { ...DEV, withoutSnapshot: true })
    }
    const calls = () => world.driver.calls.filter((call) => call.startsWith('restore'))

    const refusal = await rejectionOf(restore(store, world, { from, isConfirmed: false, ...said }))
    const untouched = calls()
    const { former, plane } = await restore(store, world, { from, isConfirmed: false, ...said })

    expect(refusal.code).toBe('ABORTED')
    expect(untouched).toEqual([])
    expect(world.ui.notes.filter((note) => note.startsWith('No snapshot'))).toEqual([line, line])
    expect(former).toBeUndefined()
    expect(plane.desired).toBe('running')
    expect(calls()).toEqual(['restore dev after 0, keeping all'])
  },
)

test('touches nothing of a plane that runs and gives no snapshot', async () => {
  await using store = await temporarySnapshots()
  const world = new FakeComposition(store)
  await world.plane('dev')
  const { id: from = '' } = await createSnapshot(world, DEV)
  world.driver.wrongData.set('dev', etcdSnapshot('x').fill(1, 100, 101))

  const failure = await rejectionOf(restore(store, world, { from }))
  const untouched = [...world.driver.calls]
  const { former } = await restore(store, world, { from, withoutSnapshot: true })

  expect(failure).toMatchObject({
    code: 'FAILED',
    message: expect.stringContaining('cannot take a snapshot of "dev", so it was not restored'),
    hints: [expect.stringContaining('--no-snapshot')],
  })
  expect(untouched.filter((call) => call.startsWith('restore'))).toEqual([])
  expect(former).toBeUndefined()
})

test('takes no snapshot and stops nothing when a program is missing', async () => {
  await using store = await temporarySnapshots()
  const world = new FakeComposition(store)
  await world.plane('dev')
  const { id: from = '' } = await createSnapshot(world, DEV)
  const missing = new VplaneError('FAILED', 'cannot get etcdutl')
  const ensure = vi.fn<PlaneTools['ensure']>(() => Promise.reject(missing))
  world.driver.tools = { ensure }
  world.driver.calls.length = 0

  const failure = await rejectionOf(restore(store, world, { from }))

  expect(failure).toBe(missing)
  expect(ensure.mock.lastCall?.[0]).toMatchObject({ name: 'dev', forRestore: true })
  expect(world.driver.calls.filter((call) => call !== 'isRunning dev')).toEqual([])
  expect(await store.snapshots.local.list(NEVER)).toHaveLength(1)
})

test.for([
  ['without --force', { force: false }, [], 'USAGE'],
  ['after a no', { isConfirmed: false }, [false], 'ABORTED'],
  ['with an image for a host where there is none', { helperImage: 'node' }, [], 'USAGE'],
  ['from a file that is not there', { from: 'missing.db' }, [], 'NOT_FOUND'],
  ['from an id that is not there', { from: 'dev-20260102-030405-0000' }, [], 'NOT_FOUND'],
] as const)('touches nothing %s', async ([, said, answers, code]) => {
  await using store = await temporarySnapshots()
  const world = new FakeComposition({ ...store, answers: [...answers] })
  await world.plane('dev')
  const { id: from = '' } = await createSnapshot(world, DEV)
  world.driver.calls.length = 0

  const failure = await rejectionOf(restore(store, world, { from, ...said }))

  expect(failure.code).toBe(code)
  expect(world.driver.calls.filter((call) => call !== 'isRunning dev')).toEqual([])
})

test('keeps the volumes of pods, and refuses when some do not exist any more', async () => {
  await using store = await temporarySnapshots()
  const world = new FakeComposition(store)
  await world.plane('dev')
  world.driver.pods.claims = ['default/a', 'default/b']
  const { id: from = '' } = await createSnapshot(world, DEV)
  world.ui.notes.length = 0

  await restore(store, world, { from })
  world.driver.pods.claims = ['default/a', 'default/c']
  const refusal = await rejectionOf(restore(store, world, { from }))
  await restore(store, world, { from, withoutVolumes: true })

  expect(world.ui.notes.filter((note) => note.includes('volumes'))).toEqual([
    'The volumes of its pods stay unchanged: default/a, default/b',
    'The volumes of its pods stay unchanged: default/a, default/c',
  ])
  expect(refusal).toMatchObject({
    code: 'USAGE',
    message: 'no snapshot of "dev" contains the data on the volumes of its pods: default/b',
    hints: expect.arrayContaining([expect.stringContaining('--without-volumes')]),
  })
})

test('refuses Secrets that the plane cannot read, unless the user gives them up', async () => {
  await using store = await temporarySnapshots()
  const world = new FakeComposition(store)
  await world.plane('dev')
  const own = world.driver.inside({ name: 'dev' })
  const [first, second] = [1, 2].map((number) =>
    encryptionKey(Buffer.alloc(32, number), { number }),
  )
  expect.assert(first !== undefined && second !== undefined)
  const keysOf = (...keys: EncryptionKey[]) => ({
    [ENCRYPTION_FILE]: encryptionConfiguration(keys),
  })
  own.keys = { ...own.keys, ...keysOf(first) }
  const { id: from = '' } = await createSnapshot(world, DEV)
  const { plane } = await store.snapshots.local.find(from, NEVER)

  own.keys = { ...own.keys, ...keysOf(second, first) }
  await restore(store, world, { from })
  own.keys = { ...own.keys, ...keysOf(second) }
  world.driver.calls.length = 0
  const refusal = await rejectionOf(restore(store, world, { from }))
  const untouched = world.driver.calls.filter((call) => call.startsWith('restore'))
  await restore(store, world, { from, withoutSecrets: true })

  expect(plane).toBe('dev')
  expect(refusal).toMatchObject({
    code: 'USAGE',
    message: expect.stringContaining('before a rotation of the encryption key was complete'),
    hints: expect.arrayContaining([expect.stringContaining('--without-secrets')]),
  })
  expect(untouched).toEqual([])
})

test('warns before it asks that a snapshot is of another plane', async () => {
  await using store = await temporarySnapshots()
  const world = new FakeComposition({ ...store, answers: [false] })
  await world.plane('dev')
  await world.plane('prod')
  const { id: from = '' } = await createSnapshot(world, { ...DEV, name: 'prod' })

  const refusal = await rejectionOf(restore(store, world, { from, isConfirmed: false }))

  expect(refusal.code).toBe('ABORTED')
  expect(world.ui.notes.slice(0, 1)).toEqual([
    `The data is from another plane: the snapshot ${from} was taken from "prod".`,
  ])
})

test('shows what a restore would do in a dry run', async () => {
  await using store = await temporarySnapshots()
  const world = new FakeComposition(store)
  await world.plane('dev')
  const { id: from = '' } = await createSnapshot(world, DEV)
  world.driver.calls.length = 0
  const steps = [
    'take a snapshot of its current data, and keep it on this machine',
    'stop its components',
    `load the snapshot ${from}, with revisions above all earlier ones`,
    'start its components',
  ]

  const result = await restore(store, world, { from, isConfirmed: false, isDryRun: true })

  expect(result).toMatchObject({ isRestored: false, steps })
  expect(world.ui.notes).toEqual([
    'Will be done:',
    ...steps.map((step, index) => `  ${index + 1}. ${step}`),
  ])
  expect(world.driver.calls.filter((call) => /^(restore|snapshot)/.test(call))).toEqual([])
  expect(await store.snapshots.local.list(NEVER)).toHaveLength(1)
})

test('touches nothing when the snapshot is damaged', async () => {
  await using store = await temporarySnapshots()
  const world = new FakeComposition(store)
  await world.plane('dev')
  const from = join(store.folder, 'dev.db')
  await writeFile(from, etcdSnapshot('x').fill(1, 100, 101))

  const failure = await rejectionOf(restore(store, world, { from }))

  expect(failure.message).toContain('is damaged')
  expect(world.driver.calls).toEqual([])
})

async function restore(
  { snapshots }: Awaited<ReturnType<typeof temporarySnapshots>>,
  world: FakeComposition,
  {
    from,
    ...said
  }: { from: string } & Partial<typeof SURE & Omit<RestoreOptions, keyof typeof SURE>>,
) {
  const passphrase = () => Promise.resolve('secret')
  await using source = await snapshots.open(from, { passphrase, signal: NEVER })
  return await restoreControlPlane(world, { ...SURE, ...said, source })
}

function putConfigMap(world: FakeComposition, name: string): void {
  const path = `/api/v1/namespaces/default/configmaps/test-${name}`
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } }
  world.driver.inside({ name: 'dev' }).api.put(path, object)
}

function nameOfConfigMaps(world: FakeComposition): Array<string | undefined> {
  const { objects } = world.driver.inside({ name: 'dev' }).api
  const found = [...objects].filter(([path]) => path.includes('/configmaps/test-'))
  return found.map(([, { metadata }]) => metadata.name)
}

test('replaces the data of a plane by that of its own bundle, and of no other', async () => {
  await using store = await temporarySnapshots()
  const world = new FakeComposition(store)
  await world.plane('dev')
  const own = world.driver.inside({ name: 'dev' })
  const passphrase = () => Promise.resolve('secret')
  const { id: from = '' } = await createSnapshot(world, { ...DEV, passphrase })

  await restore(store, world, { from })
  own.keys = { ...own.keys, 'sa.key': 'another' }
  const failure = await rejectionOf(restore(store, world, { from }))

  expect(failure.code).toBe('CONFLICT')
})

function leaseOf(name: string, renewTime: string, labels: Record<string, string> = {}) {
  return { metadata: { name, labels }, spec: { renewTime } }
}
