import { afterEach, beforeEach, expect, test } from 'vitest'
import type { SpecChange } from '../../../src/control-plane/changed-spec.ts'
import { upgradeControlPlane } from '../../../src/control-plane/use-cases/upgrade-control-plane.ts'
import { VplaneError } from '../../../src/shared/errors.ts'
import { FakeComposition } from '../../support/fake-composition.ts'
import { temporarySnapshots } from '../../support/temporary-snapshots.ts'
import { rejectionOf } from '../../support/thrown-by.ts'

const OPTIONS = {
  name: 'dev',
  isConfirmed: true,
  isDryRun: false,
  timeoutMs: 2000,
  signal: new AbortController().signal,
}

let store: Awaited<ReturnType<typeof temporarySnapshots>>

beforeEach(async () => {
  store = await temporarySnapshots()
})

afterEach(async () => {
  await store[Symbol.asyncDispose]()
})

test('takes a snapshot, then goes by the version that behaves as the one before', async () => {
  const world = new FakeComposition(store)
  await world.plane('dev', { version: '1.35' })

  const { plane } = await upgradeControlPlane(world, { version: '1.36' }, OPTIONS)

  expect(await store.snapshots.kept.list(OPTIONS.signal)).toMatchObject([{ plane: 'dev' }])
  expect(world.driver.calls.findIndex((call) => call === 'snapshot dev')).toBeLessThan(
    world.driver.calls.findIndex((call) => call === 'change dev'),
  )
  expect(stagesOf(world)).toEqual([['1.36.3', '1.35.4'], ['1.36.3']])
  expect(plane.userSpec).toEqual({ version: '1.36' })
})

test('goes back by itself when the new version does not become ready', async () => {
  const world = new FakeComposition(store)
  await world.plane('dev', { version: '1.35' })
  failAt(world, ({ spec }) => spec.version === '1.36.3')

  const error = await rejectionOf(upgradeControlPlane(world, { version: '1.36' }, OPTIONS))

  expect(error).toMatchObject({
    code: 'FAILED',
    message: expect.stringContaining('"dev" is Kubernetes 1.35.4 again'),
  })
  expect(stagesOf(world).at(-1)).toEqual(['1.35.4'])
})

test('stays as the version before when only the last stage fails', async () => {
  const world = new FakeComposition(store)
  await world.plane('dev', { version: '1.35' })
  failAt(world, ({ spec }) => spec.version === '1.36.3' && spec.upgradingFrom === undefined)

  const error = await rejectionOf(upgradeControlPlane(world, { version: '1.36' }, OPTIONS))

  expect(error.message).toContain('"dev" is Kubernetes 1.36.3 as 1.35.4 again')
  expect(stagesOf(world).at(-1)).toEqual(['1.36.3', '1.35.4'])
})

test('goes on with an upgrade that was interrupted', async () => {
  const world = new FakeComposition(store)
  await world.plane('dev', { version: '1.35' })
  let isFirst = true
  world.driver.beforeChange = () => {
    if (isFirst) {
      isFirst = false
      throw new VplaneError('ABORTED', 'interrupted')
    }
  }
  await rejectionOf(upgradeControlPlane(world, { version: '1.36' }, OPTIONS))

  const { plane } = await upgradeControlPlane(world, { version: '1.36' }, OPTIONS)

  expect(stagesOf(world)).toEqual([['1.36.3', '1.35.4'], ['1.36.3', '1.35.4'], ['1.36.3']])
  expect(plane.spec).toMatchObject({ version: '1.36.3' })
})

test('has nothing to do for a plane of this vplane and of that version', async () => {
  const world = new FakeComposition(store)
  await world.plane('dev')

  const { isChanged } = await upgradeControlPlane(world, { version: '1.36' }, OPTIONS)

  expect(isChanged).toBe(false)
  expect(world.driver.changes).toEqual([])
})

test('brings a plane of an older vplane up to this one', async () => {
  const world = new FakeComposition(store)
  const plane = await world.plane('dev')
  world.driver.inside(plane).stored = { ...plane, madeBy: '0.0.1' }

  const { isChanged } = await upgradeControlPlane(world, {}, OPTIONS)

  expect(isChanged).toBe(true)
  expect(stagesOf(world)).toEqual([['1.36.3']])
})

test('says what clients have asked for that goes away', async () => {
  const world = new FakeComposition(store)
  const plane = await world.plane('dev', { version: '1.35' })
  const { api } = world.driver.inside(plane)
  const labels = 'group="storagemigration.k8s.io",removed_release="1.36",version="v1alpha1"'
  api.metrics = `apiserver_requested_deprecated_apis{${labels},resource="storageversionmigrations"} 1`

  await upgradeControlPlane(world, { version: '1.36' }, { ...OPTIONS, isDryRun: true })
  api.isUp = false
  await upgradeControlPlane(world, { version: '1.36' }, { ...OPTIONS, isDryRun: true })

  expect(world.ui.notes).toContain(
    '  storageversionmigrations of storagemigration.k8s.io/v1alpha1, which is gone from 1.36 on',
  )
  expect(world.ui.notes.at(-1)).toMatch(/^Whether clients of it use an API that goes away/)
})

test('says which APIs its spec switches on go away', async () => {
  const world = new FakeComposition(store)
  const extraArgs = { 'runtime-config': 'api/beta=true,autoscaling/v2beta2=true' }
  await world.plane('dev', { version: '1.35', apiServer: { extraArgs } })

  await upgradeControlPlane(world, { version: '1.36' }, { ...OPTIONS, isDryRun: true })

  expect(world.ui.notes).toContain(
    '  autoscaling/v2beta2=true: it has no horizontalpodautoscalers of that version',
  )
})

test('says what etcd holds in versions that go away, and asks all the same', async () => {
  const world = new FakeComposition({ ...store, answers: [false] })
  const plane = await world.plane('dev', { version: '1.35' })
  const stale = { count: 2, hasOther: false, isCustom: false }
  world.driver.inside(plane).staleObjects = [
    { ...stale, resource: 'workloads.scheduling.k8s.io', apiVersion: 'scheduling.k8s.io/v1alpha1' },
    { ...stale, resource: 'pods', apiVersion: 'v1' },
  ]

  const upgrade = upgradeControlPlane(
    world,
    { version: '1.36' },
    { ...OPTIONS, isConfirmed: false },
  )

  expect(await rejectionOf(upgrade)).toMatchObject({ code: 'ABORTED' })
  const notes = world.ui.notes.filter((note) => / of .* as /.test(note))
  expect(notes).toEqual([expect.stringContaining('2 of workloads.scheduling.k8s.io')])
  expect(world.driver.changes).toEqual([])
})

function failAt(world: FakeComposition, isMeant: (change: SpecChange) => boolean): void {
  world.driver.beforeChange = (change) => {
    if (isMeant(change)) {
      throw new VplaneError('COMPONENT_FAILED', 'kube-apiserver has ended')
    }
  }
}

function stagesOf(world: FakeComposition): string[][] {
  return world.driver.changes.map(({ spec: { upgradingFrom, version } }) => [
    version,
    ...(upgradingFrom === undefined ? [] : [upgradingFrom]),
  ])
}
