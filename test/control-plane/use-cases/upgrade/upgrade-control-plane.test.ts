import { afterEach, beforeEach, expect, test } from 'vitest'
import type { SpecChange } from '../../../../src/control-plane/changes/changed-spec.ts'
import {
  upgradeControlPlane,
  type UpgradeOptions,
} from '../../../../src/control-plane/use-cases/upgrade/upgrade-control-plane.ts'
import { type ErrorCode, VplaneError } from '../../../../src/shared/errors.ts'
import { FakeComposition } from '../../../support/driver/fake-composition.ts'
import { temporarySnapshots } from '../../../support/machine/temporary-snapshots.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'

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

  const { plane, steps } = await upgradeControlPlane(world, { version: '1.36' }, OPTIONS)

  expect(steps).toEqual(['take a snapshot', 'Kubernetes 1.36.3 as 1.35.4: restart everything'])
  expect(await store.snapshots.local.list(OPTIONS.signal)).toMatchObject([{ plane: 'dev' }])
  expect(world.driver.calls.findIndex((call) => call === 'snapshot dev')).toBeLessThan(
    world.driver.calls.findIndex((call) => call === 'change dev'),
  )
  expect(stagesOf(world)).toEqual([['1.36.3', '1.35.4'], ['1.36.3']])
  expect(plane.userSpec).toEqual({ version: '1.36' })
})

test('takes no snapshot when the programs of a later stage are missing', async () => {
  const world = new FakeComposition(store)
  await world.plane('dev', { version: '1.35' })
  const missing = new VplaneError('FAILED', 'cannot get kube-apiserver')
  world.driver.tools = {
    ensure: ({ spec }) =>
      spec.version === '1.36.3' && spec.upgradingFrom === undefined
        ? Promise.reject(missing)
        : Promise.resolve(),
  }

  const failure = await rejectionOf(upgradeControlPlane(world, { version: '1.36' }, OPTIONS))

  expect(failure).toBe(missing)
  expect(await store.snapshots.local.list(OPTIONS.signal)).toEqual([])
  expect(stagesOf(world)).toEqual([])
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
  expect(error.hints.at(-1)).toContain('1.36.3 may have stored what 1.35.4 cannot read')
  expect(stagesOf(world).at(-1)).toEqual(['1.36.3', '1.35.4'])
})

test('goes back no further once the new version has run as itself', async () => {
  const world = new FakeComposition(store)
  await world.plane('dev', { version: '1.35' })
  failAt(world, ({ spec }) => spec.version === '1.36.3' && spec.upgradingFrom === undefined)
  await rejectionOf(upgradeControlPlane(world, { version: '1.36' }, OPTIONS))

  const refusal = await rejectionOf(upgradeControlPlane(world, { version: '1.35.4' }, OPTIONS))
  failAt(world, ({ spec }) => spec.upgradingFrom !== undefined)
  const staying = await rejectionOf(upgradeControlPlane(world, { version: '1.36' }, OPTIONS))
  failAt(world, () => false)
  const { plane } = await upgradeControlPlane(world, { version: '1.36' }, OPTIONS)

  expect(refusal).toMatchObject({
    code: 'USAGE',
    message: expect.stringContaining('has run Kubernetes 1.36.3 as itself'),
  })
  expect(staying).toMatchObject({
    code: 'COMPONENT_FAILED',
    hints: ['"dev" stays Kubernetes 1.36.3 as 1.35.4; the same command continues'],
  })
  expect(plane.spec).toMatchObject({ version: '1.36.3' })
  expect(plane.spec).not.toHaveProperty('isPastReturn')
})

test('reports the state when an interrupted last stage fails', async () => {
  const world = new FakeComposition(store)
  await world.plane('dev', { version: '1.35' })
  const isLast = ({ spec }: SpecChange) =>
    spec.version === '1.36.3' && spec.upgradingFrom === undefined
  failAt(world, isLast, 'ABORTED')
  await rejectionOf(upgradeControlPlane(world, { version: '1.36' }, OPTIONS))
  world.driver.unfinished = ['restart kube-apiserver']
  failAt(world, isLast)

  const error = await rejectionOf(upgradeControlPlane(world, { version: '1.36' }, OPTIONS))

  expect(error).toMatchObject({
    code: 'COMPONENT_FAILED',
    hints: ['"dev" stays Kubernetes 1.36.3; the same command continues'],
  })
})

test.for([
  ['3.6.99', false, true],
  ['3.7.0', true, true],
  ['3.7.0', false, false],
] as const)(
  'when etcd %s does not become ready, and its data %s as before, goes back: %s',
  async ([etcdVersion, isEtcdAsBefore, isBack]) => {
    const world = new FakeComposition(store)
    const plane = await world.plane('dev')
    world.driver.inside(plane).isEtcdAsBefore = isEtcdAsBefore
    failAt(world, ({ spec }) => spec.etcdVersion === etcdVersion)

    const error = await rejectionOf(upgradeControlPlane(world, { etcdVersion }, OPTIONS))
    const back = await upgradeControlPlane(world, { etcdVersion: '3.6.16' }, OPTIONS).catch(
      ({ message }: Error) => message,
    )

    const [stored] = await world.driver.find('dev')
    expect(error.code).toBe(isBack ? 'FAILED' : 'COMPONENT_FAILED')
    expect(isBack ? error.message : error.hints.join()).toContain(
      isBack ? `"dev" is etcd 3.6.16 again, as etcd ${etcdVersion}` : `stays with etcd 3.7.0`,
    )
    expect(stored).toMatchObject({ spec: { etcdVersion: isBack ? '3.6.16' : '3.7.0' } })
    expect(back).toEqual(
      isBack
        ? expect.objectContaining({ isChanged: false })
        : '"dev" cannot go back to etcd 3.6.16: 3.7.0 may have changed its data',
    )
  },
)

test('goes back from an etcd that an earlier run was killed over, though nothing can be copied', async () => {
  const world = new FakeComposition(store)
  const plane = await world.plane('dev')
  failAt(world, () => true, 'ABORTED')
  await rejectionOf(upgradeControlPlane(world, { etcdVersion: '3.6.99' }, OPTIONS))
  world.driver.inside(plane).crash('etcd')
  failAt(world, () => false)

  const back = await upgradeControlPlane(world, { etcdVersion: '3.6.16' }, OPTIONS)

  expect(back.plane.spec.etcdVersion).toBe('3.6.16')
  expect(back.plane.spec).not.toHaveProperty('etcdUpgradingFrom')
  expect(world.ui.warnings).toContainEqual(
    expect.stringContaining('There is only the snapshot from when the upgrade began'),
  )
})

test('reports the error of a stage that could not begin', async () => {
  const world = new FakeComposition(store)
  await world.plane('dev', { version: '1.35' })
  const change = world.driver.change.bind(world.driver)
  world.driver.change = (plane, to, operation) =>
    to.spec.version === '1.36.3'
      ? Promise.reject(new VplaneError('TIMED_OUT', 'somebody else holds it'))
      : change(plane, to, operation)

  const error = await rejectionOf(upgradeControlPlane(world, { version: '1.36' }, OPTIONS))

  expect(error.message).toContain('somebody else holds it')
  expect(await world.driver.find('dev')).toMatchObject([{ spec: { version: '1.35.4' } }])
})

test('continues an interrupted upgrade', async () => {
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
  const objects = ['ConfigMap "x"', '  + data.a: "b"']
  world.driver.plan = () => Promise.resolve({ steps: [], objects })

  const { isChanged } = await upgradeControlPlane(world, {}, OPTIONS)

  expect(world.ui.notes.slice(-3)).toEqual([
    'What differs:',
    '  ConfigMap "x"',
    '    + data.a: "b"',
  ])
  expect(isChanged).toBe(true)
  expect(stagesOf(world)).toEqual([['1.36.3']])
})

test('lists APIs that clients have requested and the upgrade removes', async () => {
  const world = new FakeComposition(store)
  const plane = await world.plane('dev', { version: '1.35' })
  const { api } = world.driver.inside(plane)
  const labels = 'group="storagemigration.k8s.io",removed_release="1.36",version="v1alpha1"'
  api.metrics = `apiserver_requested_deprecated_apis{${labels},resource="storageversionmigrations"} 1`

  await upgradeControlPlane(world, { version: '1.36' }, { ...OPTIONS, isDryRun: true })
  api.isUp = false
  await upgradeControlPlane(world, { version: '1.36' }, { ...OPTIONS, isDryRun: true })

  expect(world.ui.notes).toContain(
    '  storageversionmigrations of storagemigration.k8s.io/v1alpha1, removed in 1.36',
  )
  expect(world.ui.notes.at(-1)).toMatch(/^Cannot check whether clients use APIs that are removed/)
})

test('lists APIs that its spec enables and the upgrade removes', async () => {
  const world = new FakeComposition(store)
  const extraArgs = { 'runtime-config': 'api/beta=true,autoscaling/v2beta2=true' }
  await world.plane('dev', { version: '1.35', apiServer: { extraArgs } })

  await upgradeControlPlane(world, { version: '1.36' }, { ...OPTIONS, isDryRun: true })

  expect(world.ui.notes).toContain(
    '  autoscaling/v2beta2=true: no horizontalpodautoscalers of that version',
  )
})

test('is refused while etcd has objects that the new version cannot read', async () => {
  const world = new FakeComposition({ ...store, answers: [false] })
  const plane = await world.plane('dev', { version: '1.35' })
  const stale = { count: 2, hasOther: false, isCustom: false }
  world.driver.inside(plane).staleObjects = [
    { ...stale, resource: 'workloads.scheduling.k8s.io', apiVersion: 'scheduling.k8s.io/v1alpha1' },
    { ...stale, resource: 'pods', apiVersion: 'v1' },
  ]

  const upgrade = (options: Partial<UpgradeOptions>) =>
    rejectionOf(upgradeControlPlane(world, { version: '1.36' }, { ...OPTIONS, ...options }))
  const refusals = [await upgrade({}), await upgrade({ isDryRun: true })]
  const no = await upgrade({ isConfirmed: false, withoutStaleObjects: true })

  const refusal = {
    code: 'USAGE',
    message: 'etcd of "dev" has objects that Kubernetes 1.36.3 cannot read',
    hints: [
      expect.stringContaining('2 of workloads.scheduling.k8s.io as scheduling.k8s.io/v1alpha1; '),
      'to continue without them: --without-stale-objects',
    ],
  }
  expect(refusals).toMatchObject([refusal, refusal])
  expect(no.code).toBe('ABORTED')
  const notes = world.ui.notes.filter((note) => / of .* as /.test(note))
  expect(notes).toEqual([expect.stringContaining('2 of workloads.scheduling.k8s.io')])
  expect(world.driver.changes).toEqual([])
})

test('is not refused for custom objects, nor for APIs that another upgrade removes', async () => {
  const world = new FakeComposition(store)
  const plane = await world.plane('dev', { version: '1.35' })
  const custom = { resource: 'widgets.example.com', apiVersion: 'example.com/v1alpha1' }
  world.driver.inside(plane).staleObjects = [
    { ...custom, count: 2, hasOther: true, isCustom: true },
  ]

  const { isChanged } = await upgradeControlPlane(world, { version: '1.36' }, OPTIONS)

  expect(isChanged).toBe(true)
  expect(world.ui.notes.join()).toContain('2 of widgets.example.com as example.com/v1alpha1')
})

test('is refused when etcd cannot be checked, unless it has begun', async () => {
  const world = new FakeComposition(store)
  const plane = await world.plane('dev', { version: '1.35' })
  world.driver.etcd.staleObjects = () => Promise.reject(new VplaneError('FAILED', 'no etcd of it'))
  const upgrade = (version: string, options: Partial<UpgradeOptions> = {}) =>
    upgradeControlPlane(world, { version }, { ...OPTIONS, ...options })

  const error = await rejectionOf(upgrade('1.36'))
  const patch = await upgrade('1.35.5')
  failAt(world, () => true, 'ABORTED')
  await rejectionOf(upgrade('1.36', { withoutStaleObjects: true }))
  failAt(world, () => false)
  await upgrade('1.36')

  expect(error).toMatchObject({
    code: 'USAGE',
    message: expect.stringContaining(
      'cannot check whether "dev" would lose objects: no etcd of it',
    ),
  })
  expect(patch.isChanged).toBe(true)
  expect(await world.driver.find(plane.name)).toMatchObject([{ spec: { version: '1.36.3' } }])
})

function failAt(
  world: FakeComposition,
  isMeant: (change: SpecChange) => boolean,
  code: ErrorCode = 'COMPONENT_FAILED',
): void {
  world.driver.beforeChange = (change) => {
    if (isMeant(change)) {
      throw new VplaneError(code, 'kube-apiserver has ended')
    }
  }
}

function stagesOf(world: FakeComposition): string[][] {
  return world.driver.changes.map(({ spec: { upgradingFrom, version } }) => [
    version,
    ...(upgradingFrom === undefined ? [] : [upgradingFrom]),
  ])
}
