import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { stepText } from '../../../../src/cli/catalog/step-text.ts'
import {
  ENCRYPTION_FILE,
  encryptionConfiguration,
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
import { worldWithSnapshots } from '../../../support/driver/world-with-plane.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'

const NEVER = new AbortController().signal
const DEV = { name: 'dev', signal: NEVER }
const SURE = { ...DEV, force: true, isConfirmed: true, timeoutMs: 2000 }
const passphrase = () => Promise.resolve('secret')
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases'

test('puts the data of a snapshot in place, and keeps a snapshot of what was there', async () => {
  const { world } = await worldWithSnapshots()
  putConfigMap(world, 'old')
  const { id: from = '' } = await createSnapshot(world, DEV)
  putConfigMap(world, 'new')

  const { former } = await restore(world, { from })

  expect(nameOfConfigMaps(world)).toEqual(['old'])
  expect(world.driver.calls).toContain('restore dev after 7')
  await restore(world, { from: former?.id ?? '' })
  expect(nameOfConfigMaps(world)).toEqual(['old', 'new'])
})

test('deletes the Leases of leaders from before, and no others', async () => {
  const { api, world } = await worldWithSnapshots()
  const items = [
    leaseOf('kube-controller-manager', '2025-12-31T23:59:59.000000Z'),
    leaseOf('kube-scheduler', '2026-01-01T00:00:01.000000Z'),
    leaseOf('apiserver-x', '2025-12-31T23:00:00.000000Z', {
      'apiserver.kubernetes.io/identity': 'kube-apiserver',
    }),
  ]
  api.put(LEASES, { apiVersion: 'v1', kind: 'LeaseList', metadata: {}, items })
  const { id: from = '' } = await createSnapshot(world, DEV)

  await restore(world, { from })

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
] as const)('warns before it asks that it takes no snapshot of one %s', async ([, said, line]) => {
  const { from, world } = await planeWithSnapshot({ answers: [false, true] })
  if (!('withoutSnapshot' in said)) {
    await pauseControlPlane(world, { ...DEV, withoutSnapshot: true })
  }
  const calls = () => world.driver.calls.filter((call) => call.startsWith('restore'))

  const refusal = await rejectionOf(restore(world, { from, isConfirmed: false, ...said }))
  const untouched = calls()
  const { former, plane } = await restore(world, { from, isConfirmed: false, ...said })

  expect(refusal.code).toBe('ABORTED')
  expect(untouched).toEqual([])
  expect(world.ui.notes.filter((note) => note.startsWith('No snapshot'))).toEqual([line, line])
  expect(former).toBeUndefined()
  expect(plane.desired).toBe('running')
  expect(calls()).toEqual(['restore dev after 0, keeping all'])
})

test('takes a snapshot of a plane that uses the etcd of others only while it runs', async () => {
  const files = { certificateFile: '/etcd.crt', keyFile: '/etcd.key' }
  const client = { ...files, prefix: '/planes/dev' }
  const shared = { endpoints: ['https://etcd.example.com:2379'], caFile: '/ca.crt', client }
  const { from, world } = await planeWithSnapshot({ spec: { store: { etcd: { shared } } } })

  const { former } = await restore(world, { from })
  await pauseControlPlane(world, DEV)
  const unsaved = await restore(world, { from })

  expect(former).toMatchObject({ plane: 'dev' })
  expect(unsaved.former).toBeUndefined()
  expect(world.ui.notes).toContain(
    'No snapshot of "dev" can be taken, as its kube-apiserver does not run; its current data is kept beside the new data.',
  )
})

test('runs an interrupted restore again while its store may not be ready', async () => {
  const { from, world } = await planeWithSnapshot()
  const inside = world.driver.inside({ name: 'dev' })
  inside.stored = { ...inside.stored, restoring: { from } }
  inside.stop('kube-apiserver')
  world.driver.wrongData.set('dev', etcdSnapshot('x').fill(1, 100, 101))

  const { former } = await restore(world, { from })

  expect(former).toBeUndefined()
  expect(inside.stored).not.toHaveProperty('restoring')
})

test('touches nothing of a plane that runs and gives no snapshot', async () => {
  const { from, world } = await planeWithSnapshot()
  world.driver.wrongData.set('dev', etcdSnapshot('x').fill(1, 100, 101))

  const failure = await rejectionOf(restore(world, { from }))
  const untouched = [...world.driver.calls]
  const { former } = await restore(world, { from, withoutSnapshot: true })

  expect(failure).toMatchObject({
    code: 'FAILED',
    message: expect.stringContaining('cannot take a snapshot of "dev", so it was not restored'),
    hints: [expect.stringContaining('--no-snapshot')],
  })
  expect(untouched.filter((call) => call.startsWith('restore'))).toEqual([])
  expect(former).toBeUndefined()
})

test('takes no snapshot and stops nothing when a program is missing', async () => {
  const { from, store, world } = await planeWithSnapshot()
  const missing = new VplaneError('FAILED', 'cannot get etcdutl')
  const ensure = vi.fn<PlaneTools['ensure']>(() => Promise.reject(missing))
  world.driver.tools = { ensure }

  const failure = await rejectionOf(restore(world, { from }))

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
  const { from, world } = await planeWithSnapshot({ answers: [...answers] })

  const failure = await rejectionOf(restore(world, { from, ...said }))

  expect(failure.code).toBe(code)
  expect(world.driver.calls.filter((call) => call !== 'isRunning dev')).toEqual([])
})

test('keeps the volumes of pods, and refuses when some do not exist any more', async () => {
  const { world } = await worldWithSnapshots()
  world.driver.pods.claims = ['default/a', 'default/b']
  const { id: from = '' } = await createSnapshot(world, DEV)
  world.ui.notes.length = 0

  await restore(world, { from })
  world.driver.pods.claims = ['default/a', 'default/c']
  const refusal = await rejectionOf(restore(world, { from }))
  await restore(world, { from, withoutVolumes: true })

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
  const { inside: own, world } = await worldWithSnapshots()
  const encryptWith = (...numbers: number[]) => {
    const keys = numbers.map((number) => encryptionKey(Buffer.alloc(32, number), { number }))
    own.keys = { ...own.keys, [ENCRYPTION_FILE]: encryptionConfiguration(keys) }
  }
  encryptWith(1)
  const { id: from = '' } = await createSnapshot(world, DEV)

  encryptWith(2, 1)
  await restore(world, { from })
  encryptWith(2)
  world.driver.calls.length = 0
  const refusal = await rejectionOf(restore(world, { from }))
  const untouched = world.driver.calls.filter((call) => call.startsWith('restore'))
  await restore(world, { from, withoutSecrets: true })

  expect(refusal).toMatchObject({
    code: 'USAGE',
    message: expect.stringContaining('before a rotation of the encryption key was complete'),
    hints: expect.arrayContaining([expect.stringContaining('--without-secrets')]),
  })
  expect(untouched).toEqual([])
})

test('warns before it asks that a snapshot is of another plane', async () => {
  const { world } = await worldWithSnapshots({ answers: [false] })
  await world.plane('prod')
  const { id: from = '' } = await createSnapshot(world, { ...DEV, name: 'prod' })

  const refusal = await rejectionOf(restore(world, { from, isConfirmed: false }))

  expect(refusal.code).toBe('ABORTED')
  expect(world.ui.notes[0]).toBe(
    `The data is from another plane: the snapshot ${from} was taken from "prod".`,
  )
})

test('shows what a restore would do in a dry run', async () => {
  const { from, store, world } = await planeWithSnapshot()
  const steps = [
    'take a snapshot of its data, and keep it on this machine',
    'stop its components',
    `load the snapshot ${from}, with revisions above all earlier ones`,
    'start its components',
  ]

  const result = await restore(world, { from, isConfirmed: false, isDryRun: true })

  expect(result?.isRestored).toBe(false)
  expect(result?.steps.map(stepText)).toEqual(steps)
  expect(world.ui.notes).toEqual([
    'Steps:',
    ...steps.map((step, index) => `  ${index + 1}. ${step}`),
  ])
  expect(world.driver.calls.filter((call) => /^(restore|snapshot)/.test(call))).toEqual([])
  expect(await store.snapshots.local.list(NEVER)).toHaveLength(1)
})

test('touches nothing when the snapshot is damaged', async () => {
  const { store, world } = await worldWithSnapshots()
  const from = join(store.folder, 'dev.db')
  await writeFile(from, etcdSnapshot('x').fill(1, 100, 101))

  const failure = await rejectionOf(restore(world, { from }))

  expect(failure.message).toContain('is damaged')
  expect(world.driver.calls).toEqual([])
})

/** A plane and a snapshot of it. */
async function planeWithSnapshot(options: Parameters<typeof worldWithSnapshots>[0] = {}) {
  const made = await worldWithSnapshots(options)
  const { id: from = '' } = await createSnapshot(made.world, DEV)
  made.driver.calls.length = 0
  return { ...made, from }
}

async function restore(
  world: FakeComposition,
  { from, ...said }: { from: string } & Partial<RestoreOptions>,
) {
  const snapshots = await world.openSnapshots()
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
  const { inside: own, world } = await worldWithSnapshots()
  const { id: from = '' } = await createSnapshot(world, { ...DEV, passphrase })

  await restore(world, { from })
  own.keys = { ...own.keys, 'sa.key': 'another' }
  const failure = await rejectionOf(restore(world, { from }))

  expect(failure.code).toBe('CONFLICT')
})

function leaseOf(name: string, renewTime: string, labels: Record<string, string> = {}) {
  return { metadata: { name, labels }, spec: { renewTime } }
}
