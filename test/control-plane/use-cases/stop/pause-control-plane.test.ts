import { READY_AGAIN } from '../../../../src/control-plane/api/readiness.ts'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { stepText } from '../../../../src/cli/catalog/step-text.ts'
import {
  pauseControlPlane,
  previewResume,
  resumeControlPlane,
} from '../../../../src/control-plane/use-cases/stop/pause-control-plane.ts'
import { isReadable } from '../../../../src/control-plane/plane/unreadable-plane.ts'
import type { Plane } from '../../../../src/control-plane/plane/plane.ts'
import type { UserSpec } from '../../../../src/control-plane/spec/spec.ts'
import { createSnapshot } from '../../../../src/control-plane/use-cases/snapshot/create-snapshot.ts'
import { FakeComposition } from '../../../support/driver/fake-composition.ts'
import {
  HOSTED,
  worldWithPlane,
  worldWithSnapshots,
} from '../../../support/driver/world-with-plane.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'

const NEVER = new AbortController().signal
const SAVED = { name: 'dev', signal: NEVER }
const DEV = { ...SAVED, withoutSnapshot: true }
const DATA = { kind: 'snapshot', createdAt: new Date(0), revision: 1, sizeBytes: 4 } as const
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases'
const READY = { ...SAVED, timeoutMs: 2000 }

test('stops components in reverse, and keeps the plane', async () => {
  const { plane, world } = await worldWithPlane()

  const { plane: paused, snapshot } = await pauseControlPlane(world, DEV)

  expect(snapshot).toBeUndefined()
  expect(paused).toEqual({ ...plane, desired: 'paused' })
  expect(world.ui.steps).toEqual([
    'Stopping kube-controller-manager',
    'Stopping kube-apiserver',
    'Stopping etcd',
  ])
  expect(await world.driver.find('dev')).toEqual([paused])
})

test('shows what a pause and a resume would do in a dry run', async () => {
  const { store, world } = await worldWithSnapshots()

  const { steps } = await pauseControlPlane(world, { ...SAVED, isDryRun: true })
  const isRunning = await world.driver.isRunning(await onlyPlane(world))
  const nothing = await previewResume(world, { name: 'dev' })
  await pauseControlPlane(world, DEV)
  world.ui.notes.length = 0
  const starts = await previewResume(world, { name: 'dev' })

  expect(steps?.map(stepText)).toEqual([
    'take a snapshot of its data, and keep it on this machine',
    'stop kube-controller-manager',
    'stop kube-apiserver',
    'stop etcd',
  ])
  expect(isRunning).toBe(true)
  expect(await store.snapshots.local.list(NEVER)).toEqual([])
  expect(nothing).toEqual([])
  expect(starts.map(stepText)).toEqual([
    'start etcd',
    'start kube-apiserver',
    'start kube-controller-manager',
  ])
  expect(world.ui.notes).toEqual([
    'Steps:',
    ...starts.map((step, index) => `  ${index + 1}. ${stepText(step)}`),
  ])
  expect(await onlyPlane(world)).toMatchObject({ desired: 'paused' })
})

async function onlyPlane(world: FakeComposition): Promise<Plane> {
  const [plane] = await world.driver.find('dev')
  expect.assert(plane !== undefined && isReadable(plane))
  return plane
}

test('takes a snapshot of what a plane has before it is stopped', async () => {
  const { store, world } = await worldWithSnapshots()

  const { snapshot } = await pauseControlPlane(world, SAVED)

  const kept = await store.snapshots.local.list(NEVER)
  expect(kept).toMatchObject([{ id: snapshot?.id, plane: 'dev', revision: 7 }])
  expect(world.ui.steps.slice(0, 2)).toEqual([
    'Taking a snapshot of "dev"',
    'Stopping kube-controller-manager',
  ])
})

test('keeps the newest three that its pauses took, and all others', async () => {
  const { plane, store, world } = await worldWithSnapshots()
  const { local } = store.snapshots
  const { id: ofSomeone } = await createSnapshot(world, SAVED)
  const another = { ...DATA, plane: 'dev', driver: 'local', pauseOf: 'another plane' } as const
  const { id: ofAnother } = await local.put(another, Readable.from([Buffer.from('data')]), NEVER)

  const taken: Array<string | undefined> = []
  for (let pauses = 0; pauses < 5; pauses += 1) {
    world.time = new Date(Date.UTC(2026, 5, 1, 12, pauses))
    taken.push((await pauseControlPlane(world, SAVED)).snapshot?.id)
    await world.driver.start(plane, { ui: world.ui, signal: NEVER })
  }

  const ids = (await local.list(NEVER)).map(({ id }) => id)
  expect(new Set(ids)).toEqual(new Set([ofSomeone, ofAnother, ...taken.slice(2)]))
})

test.for([
  ['is ephemeral', { ephemeral: true }, () => undefined],
  ['has no etcd that runs', {}, (world: FakeComposition) => world.driver.inside(DEV).crash('etcd')],
  ['is paused already', {}, (world: FakeComposition) => pauseControlPlane(world, DEV)],
] as const)('takes no snapshot of a plane that %s', async ([, userSpec, happen]) => {
  const { store, world } = await worldWithSnapshots({ spec: userSpec })
  await happen(world)

  const paused = await pauseControlPlane(world, SAVED)

  expect(paused.snapshot).toBeUndefined()
  expect(paused.plane.desired).toBe('paused')
  expect(await store.snapshots.local.list(NEVER)).toEqual([])
})

test('leaves a plane running whose snapshot fails, and shows how to pause without one', async () => {
  const { plane, world } = await worldWithSnapshots()
  world.driver.wrongData.set('dev', Buffer.from('no snapshot'))

  const failure = await rejectionOf(pauseControlPlane(world, SAVED))

  expect(failure).toMatchObject({
    code: 'FAILED',
    hints: ['to pause without one: vplane pause dev --no-snapshot'],
  })
  expect(failure.message).toMatch(/^cannot take a snapshot of "dev", so it was not paused: /)
  expect((await world.driver.status(plane)).phase).toBe('Ready')
})

test('starts a paused plane, waits until it can be used, and leaves one alone that runs', async () => {
  const { inside, plane, world } = await worldWithPlane()
  const paused = await pauseControlPlane(world, DEV)
  const again = await pauseControlPlane(world, DEV)

  const resumed = await resumeControlPlane(world, READY)

  expect([paused, again].map((one) => one.plane.desired)).toEqual(['paused', 'paused'])
  expect(resumed).toEqual({ ...plane, desired: 'running' })
  expect(await resumeControlPlane(world, READY)).toEqual(resumed)
  expect((await world.driver.status(plane)).phase).toBe('Ready')
  expect(inside.api.calls).toContain(`text ${READY_AGAIN}`)
})

const SEVERAL = { controllerManager: { replicas: 2 } }

test.for<[string, UserSpec, boolean, string[]]>([
  ['of several that rested', SEVERAL, true, ['kube-controller-manager']],
  ['of none, as they ran', SEVERAL, false, []],
  ['of none, as one leads alone', {}, true, []],
])('deletes the Leases %s, and no others', async ([, spec, isPaused, names]) => {
  const { api, world } = await worldWithPlane({ ...HOSTED, spec })
  const lease = { spec: { renewTime: '2025-12-31T23:59:59.000000Z' } }
  const items = ['kube-controller-manager', 'of-someone-else'].map((name) => ({
    ...lease,
    metadata: { name },
  }))
  api.put(LEASES, { apiVersion: 'v1', kind: 'LeaseList', metadata: {}, items })
  if (isPaused) {
    await pauseControlPlane(world, DEV)
  }

  await resumeControlPlane(world, READY)

  expect(api.calls.filter((call) => call.startsWith('delete'))).toEqual(
    names.map((name) => `delete ${LEASES}/${name}`),
  )
})

test('reports that a plane cannot be started again', async () => {
  const { inside, world } = await worldWithPlane()
  await pauseControlPlane(world, DEV)
  inside.broken.add('etcd')

  expect(await rejectionOf(resumeControlPlane(world, READY))).toMatchObject({
    code: 'COMPONENT_FAILED',
    exitCode: 7,
  })
})

test('refuses planes that do not exist or cannot be read', async () => {
  const world = new FakeComposition()
  await world.driver.damage(await world.plane('bad'))

  for (const [name, code] of [
    ['dev', 'CONTROL_PLANE_NOT_FOUND'],
    ['bad', 'FAILED'],
  ] as const) {
    expect((await rejectionOf(pauseControlPlane(world, { ...DEV, name }))).code).toBe(code)
    expect((await rejectionOf(resumeControlPlane(world, { ...READY, name }))).code).toBe(code)
  }
})

test('removes the cached credential of a paused hosted plane, so that any use of its context starts it', async () => {
  const { plane, world } = await worldWithPlane(HOSTED)
  await resumeControlPlane(world, READY)

  await pauseControlPlane(world, DEV)

  expect(await world.accesses.read(plane)).toBeUndefined()
})
