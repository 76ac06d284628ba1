import { expect, test } from 'vitest'
import type { SpecChange } from '../../../../src/control-plane/changes/changed-spec.ts'
import {
  upgradeControlPlane,
  type UpgradeOptions,
} from '../../../../src/control-plane/use-cases/upgrade/upgrade-control-plane.ts'
import { type ErrorCode, VplaneError } from '../../../../src/shared/errors.ts'
import type { FakeComposition } from '../../../support/driver/fake-composition.ts'
import { worldWithSnapshots } from '../../../support/driver/world-with-plane.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'

const OPTIONS = {
  name: 'dev',
  isConfirmed: true,
  isDryRun: false,
  timeoutMs: 2000,
  signal: new AbortController().signal,
}

const SPEC = { version: '1.35' }
const isLastStage = ({ spec }: Pick<SpecChange, 'spec'>) =>
  spec.version === '1.36.3' && spec.upgradingFrom === undefined

function upgrade(
  world: FakeComposition,
  options: Partial<UpgradeOptions> = {},
  wanted: Parameters<typeof upgradeControlPlane>[1] = { version: '1.36' },
) {
  return upgradeControlPlane(world, wanted, { ...OPTIONS, ...options })
}

test('takes a snapshot, then goes by the version that behaves as the one before', async () => {
  const { store, world } = await worldWithSnapshots({ spec: SPEC })

  const { plane, steps } = await upgrade(world)

  expect(steps).toEqual([
    { action: 'take-snapshot' },
    {
      action: 'restart-component',
      component: 'everything',
      stage: 'Kubernetes 1.36.3 as 1.35.4',
    },
  ])
  expect(await store.snapshots.local.list(OPTIONS.signal)).toMatchObject([{ plane: 'dev' }])
  expect(world.driver.calls.findIndex((call) => call === 'snapshot dev')).toBeLessThan(
    world.driver.calls.findIndex((call) => call === 'change dev'),
  )
  expect(stagesOf(world)).toEqual([['1.36.3', '1.35.4'], ['1.36.3']])
  expect(plane.userSpec).toEqual({ version: '1.36' })
})

test('takes no snapshot when the programs of a later stage are missing', async () => {
  const { store, world } = await worldWithSnapshots({ spec: SPEC })
  const missing = new VplaneError('FAILED', 'cannot get kube-apiserver')
  world.driver.tools = {
    ensure: (change) => (isLastStage(change) ? Promise.reject(missing) : Promise.resolve()),
  }

  const failure = await rejectionOf(upgrade(world))

  expect(failure).toBe(missing)
  expect(await store.snapshots.local.list(OPTIONS.signal)).toEqual([])
  expect(stagesOf(world)).toEqual([])
})

test('goes back by itself when the new version does not become ready', async () => {
  const { world } = await worldWithSnapshots({ spec: SPEC })
  failAt(world, ({ spec }) => spec.version === '1.36.3')

  const error = await rejectionOf(upgrade(world))

  expect(error).toMatchObject({
    code: 'FAILED',
    message: expect.stringContaining('"dev" is Kubernetes 1.35.4 again'),
  })
  expect(stagesOf(world).at(-1)).toEqual(['1.35.4'])
})

test('stays as the version before when only the last stage fails, and goes back no further', async () => {
  const { world } = await worldWithSnapshots({ spec: SPEC })
  failAt(world, isLastStage)

  const error = await rejectionOf(upgrade(world))
  const stage = stagesOf(world).at(-1)
  const refusal = await rejectionOf(upgrade(world, {}, { version: '1.35.4' }))
  failAt(world, ({ spec }) => spec.upgradingFrom !== undefined)
  const staying = await rejectionOf(upgrade(world))
  failAt(world, () => false)
  const { plane } = await upgrade(world)

  expect(error.message).toContain('"dev" is Kubernetes 1.36.3 as 1.35.4 again')
  expect(error.hints.at(-1)).toContain('1.36.3 may have stored what 1.35.4 cannot read')
  expect(stage).toEqual(['1.36.3', '1.35.4'])
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
  const { world } = await worldWithSnapshots({ spec: SPEC })
  failAt(world, isLastStage, 'ABORTED')
  await rejectionOf(upgrade(world))
  world.driver.unfinished = [{ action: 'restart-component', component: 'kube-apiserver' }]
  failAt(world, isLastStage)

  const error = await rejectionOf(upgrade(world))

  expect(error).toMatchObject({
    code: 'COMPONENT_FAILED',
    hints: ['"dev" stays Kubernetes 1.36.3; the same command continues'],
  })
})

test.for([
  ['3.6.99', false, true],
  ['3.7.0', true, true],
  ['3.7.0', false, false],
] as const)('goes back from etcd %s (%s): %s', async ([etcdVersion, isEtcdAsBefore, isBack]) => {
  const { inside, world } = await worldWithSnapshots()
  inside.isEtcdAsBefore = isEtcdAsBefore
  failAt(world, ({ spec }) => spec.etcdVersion === etcdVersion)

  const error = await rejectionOf(upgrade(world, {}, { etcdVersion }))
  const back = await upgrade(world, {}, { etcdVersion: '3.6.16' }).catch(
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
})

test('goes back from an etcd that an earlier run was killed over, though nothing can be copied', async () => {
  const { inside, world } = await worldWithSnapshots()
  failAt(world, () => true, 'ABORTED')
  await rejectionOf(upgrade(world, {}, { etcdVersion: '3.6.99' }))
  inside.crash('etcd')
  failAt(world, () => false)

  const { plane } = await upgrade(world, {}, { etcdVersion: '3.6.16' })

  expect(plane.spec.etcdVersion).toBe('3.6.16')
  expect(plane.spec).not.toHaveProperty('etcdUpgradingFrom')
  expect(world.ui.warnings).toContainEqual(
    expect.stringContaining('There is only the snapshot from when the upgrade began'),
  )
})

test('reports the error of a stage that could not begin', async () => {
  const { world } = await worldWithSnapshots({ spec: SPEC })
  const change = world.driver.change.bind(world.driver)
  world.driver.change = (plane, to, operation) =>
    to.spec.version === '1.36.3'
      ? Promise.reject(new VplaneError('TIMED_OUT', 'someone else holds it'))
      : change(plane, to, operation)

  const error = await rejectionOf(upgrade(world))

  expect(error.message).toContain('someone else holds it')
  expect(await world.driver.find('dev')).toMatchObject([{ spec: { version: '1.35.4' } }])
})

test('continues an interrupted upgrade', async () => {
  const { world } = await worldWithSnapshots({ spec: SPEC })
  let isFirst = true
  world.driver.beforeChange = () => {
    if (isFirst) {
      isFirst = false
      throw new VplaneError('ABORTED', 'interrupted')
    }
  }
  await rejectionOf(upgrade(world))

  const { plane } = await upgrade(world)

  expect(stagesOf(world)).toEqual([['1.36.3', '1.35.4'], ['1.36.3', '1.35.4'], ['1.36.3']])
  expect(plane.spec).toMatchObject({ version: '1.36.3' })
})

test('has nothing to do for a plane of this vplane and of that version', async () => {
  const { world } = await worldWithSnapshots()

  const { isChanged } = await upgrade(world)

  expect(isChanged).toBe(false)
  expect(world.driver.changes).toEqual([])
})

test('brings a plane of an older vplane up to this one', async () => {
  const { inside, plane, world } = await worldWithSnapshots()
  inside.stored = { ...plane, madeBy: '0.0.1' }
  const objects = ['Secret "x"', '  + data.a: "b"']
  world.driver.plan = () => Promise.resolve({ steps: [], objects })

  const { isChanged } = await upgrade(world, {}, {})

  expect(world.ui.notes.slice(-3)).toEqual(['What differs:', '  Secret "x"', '    + data.a: "b"'])
  expect(isChanged).toBe(true)
  expect(stagesOf(world)).toEqual([['1.36.3']])
})

test('lists APIs that clients have requested and the upgrade removes', async () => {
  const { api, world } = await worldWithSnapshots({ spec: SPEC })
  const labels = 'group="storagemigration.k8s.io",removed_release="1.36",version="v1alpha1"'
  api.metrics = `apiserver_requested_deprecated_apis{${labels},resource="storageversionmigrations"} 1`

  await upgrade(world, { isDryRun: true })
  api.isUp = false
  await upgrade(world, { isDryRun: true })

  expect(world.ui.notes).toContain(
    '  storageversionmigrations of storagemigration.k8s.io/v1alpha1, removed in 1.36',
  )
  expect(world.ui.notes.at(-1)).toMatch(/^Cannot check whether clients use APIs that are removed/)
})

test('lists APIs that its spec enables and the upgrade removes', async () => {
  const extraArgs = { 'runtime-config': 'api/beta=true,autoscaling/v2beta2=true' }
  const { world } = await worldWithSnapshots({ spec: { ...SPEC, apiServer: { extraArgs } } })

  await upgrade(world, { isDryRun: true })

  expect(world.ui.notes).toContain(
    '  autoscaling/v2beta2=true: no horizontalpodautoscalers of that version',
  )
})

test('is refused while etcd has objects that the new version cannot read', async () => {
  const { inside, world } = await worldWithSnapshots({ spec: SPEC, answers: [false] })
  const stale = { count: 2, hasOther: false, isCustom: false }
  inside.staleObjects = [
    { ...stale, resource: 'workloads.scheduling.k8s.io', apiVersion: 'scheduling.k8s.io/v1alpha1' },
    { ...stale, resource: 'pods', apiVersion: 'v1' },
  ]

  const refusals = [
    await rejectionOf(upgrade(world)),
    await rejectionOf(upgrade(world, { isDryRun: true })),
  ]
  const no = await rejectionOf(upgrade(world, { isConfirmed: false, withoutStaleObjects: true }))

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
  const { inside, world } = await worldWithSnapshots({ spec: SPEC })
  const custom = { resource: 'widgets.example.com', apiVersion: 'example.com/v1alpha1' }
  inside.staleObjects = [{ ...custom, count: 2, hasOther: true, isCustom: true }]

  const { isChanged } = await upgrade(world)

  expect(isChanged).toBe(true)
  expect(world.ui.notes.join()).toContain('2 of widgets.example.com as example.com/v1alpha1')
})

test('is refused when etcd cannot be checked, unless it has begun', async () => {
  const { plane, world } = await worldWithSnapshots({ spec: SPEC })
  world.driver.etcd.staleObjects = () => Promise.reject(new VplaneError('FAILED', 'no etcd'))

  const error = await rejectionOf(upgrade(world))
  const patch = await upgrade(world, {}, { version: '1.35.5' })
  failAt(world, () => true, 'ABORTED')
  await rejectionOf(upgrade(world, { withoutStaleObjects: true }))
  failAt(world, () => false)
  await upgrade(world)

  expect(error).toMatchObject({
    code: 'USAGE',
    message: expect.stringContaining('cannot check whether "dev" would lose objects: no etcd'),
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
