import { expect, test } from 'vitest'
import { changedSpec } from '../../../../src/control-plane/changes/changed-spec.ts'
import type { UserSpec } from '../../../../src/control-plane/spec/spec.ts'
import { changePlane } from '../../../../src/drivers/kubernetes/change/change-plane.ts'
import { planChange } from '../../../../src/drivers/kubernetes/change/plan-change.ts'
import { pausePlane } from '../../../../src/drivers/kubernetes/lifecycle/pause-plane.ts'
import { settlePlane } from '../../../../src/drivers/kubernetes/lifecycle/settle-plane.ts'
import { startPlane } from '../../../../src/drivers/kubernetes/lifecycle/start-plane.ts'
import { removePlane } from '../../../../src/drivers/kubernetes/remove/remove-plane.ts'
import { diagnosePlane } from '../../../../src/drivers/kubernetes/repair/diagnose-plane.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'
import { FakeCluster } from '../fake-cluster.ts'
import { problemOf } from '../problem-of.ts'

const PLACE = { name: 'dev', namespace: 'team-a' }
const SQLITE: UserSpec = { store: { kine: { sqlite: {} } } }
const LARGER: UserSpec = {
  store: { kine: { sqlite: {} }, resources: { limits: { memory: '1Gi' } } },
}
const PODS = [
  'vplane-dev-kine-0',
  'vplane-dev-kube-apiserver-0',
  'vplane-dev-kube-controller-manager-0',
]
const HOUR_MS = 3_600_000

test('has kine and no object of etcd, and knows that it has data once kine is ready', async () => {
  const { cluster, context, stored } = await madePlane()
  const mode = () => configurationOf(cluster)
  const before = mode()

  await settlePlane(context, { id: stored.record.id, place: PLACE }, cluster.operation())

  expect(cluster.pods()).toEqual(PODS)
  expect(cluster.remains().join('\n')).not.toContain('etcd')
  expect([before, mode()]).toEqual(['rwc', 'rw'])
  expect(cluster.recordOf('dev')).toMatchObject({ hasData: true })
})

test('stops and starts all components of a plane with a volume', async () => {
  const { cluster, context, stored } = await madePlane()

  await pausePlane(context, stored, cluster.operation())
  const paused = cluster.pods()
  await startPlane(context, await cluster.stored('dev'), cluster.operation())

  expect(paused).toEqual([])
  expect(cluster.pods()).toEqual(PODS)
})

test('refuses to pause an ephemeral plane, whose data would be lost', async () => {
  const { cluster, context, stored } = await madePlane({ ...SQLITE, ephemeral: true })

  const error = await rejectionOf(pausePlane(context, stored, cluster.operation()))

  expect(error).toMatchObject({
    code: 'UNSUPPORTED',
    message:
      '"dev" cannot be paused: it is ephemeral, and its data would be lost with the pod of kine',
  })
  expect(cluster.pods()).toEqual(PODS)
  expect(cluster.recordOf('dev')).toMatchObject({ desired: 'running' })
})

test('replaces the pod of kine alone when its resources change', async () => {
  const { cluster, context, stored } = await madePlane()
  const before = uidsOf(cluster)
  const change = changedSpec({ ...stored.record, name: 'dev', driver: 'kubernetes' }, LARGER)

  const { signal } = cluster.operation()
  const { steps } = await planChange(context, stored, { change, signal })
  await changePlane(context, stored, { change, operation: cluster.operation() })

  const after = uidsOf(cluster)
  expect(steps).toEqual([{ action: 'replace-pods', component: 'kine' }])
  expect(PODS.filter((name) => before[name] !== after[name])).toEqual(['vplane-dev-kine-0'])
})

test('refuses a change that would replace the pod of kine with the only data', async () => {
  const { cluster, context, stored } = await madePlane({ ...SQLITE, ephemeral: true })
  const change = changedSpec({ ...stored.record, name: 'dev', driver: 'kubernetes' }, LARGER)

  const { signal } = cluster.operation()
  const error = await rejectionOf(planChange(context, stored, { change, signal }))

  expect(error.message).toContain('its data is in the pod of kine')
  expect(error.hints.join()).toContain('copy the objects with kubectl')
})

test('finds kine that accepts connections and does not answer', async () => {
  const { cluster, context, stored } = await madePlane()
  const { signal } = cluster.operation()
  cluster.forward = () => Promise.reject(new Error('nobody answers'))
  const young = await diagnosePlane(context, stored, signal)

  cluster.time = new Date(cluster.time.getTime() + HOUR_MS)
  const { faults } = await diagnosePlane(context, stored, signal)

  expect(young.faults).toEqual([])
  expect(faults).toMatchObject([{ instance: 'vplane-dev-kine-0', remedy: 'restart' }])
})

test('leaves kine of an ephemeral plane alone, whose data is in its pod', async () => {
  const { cluster, context, stored } = await madePlane({ ...SQLITE, ephemeral: true })
  cluster.forward = () => Promise.reject(new Error('nobody answers'))
  cluster.time = new Date(cluster.time.getTime() + HOUR_MS)

  const { faults } = await diagnosePlane(context, stored, cluster.operation().signal)

  expect(faults).toMatchObject([{ instance: 'vplane-dev-kine-0', remedy: 'none' }])
})

test('cannot repair a volume without the file', async () => {
  const { cluster, context, stored } = await madePlane()
  const lost = problemOf('kine', { state: 'DataLost', reason: 'its data is lost', final: true })
  const diagnose = () => Promise.resolve([lost])

  cluster.time = new Date(cluster.time.getTime() + HOUR_MS)
  cluster.forward = () => Promise.reject(new Error('nobody answers'))
  const { faults } = await diagnosePlane(
    { ...context, diagnose },
    stored,
    cluster.operation().signal,
  )

  expect(faults).toContainEqual(
    expect.objectContaining({ component: 'kine', reason: 'its data is lost', remedy: 'none' }),
  )
})

test('leaves nothing when it is deleted', async () => {
  const { cluster, context, stored } = await madePlane()

  await removePlane(
    context,
    { ...PLACE, id: stored.record.id },
    { ...cluster.operation(), keepData: false },
  )

  expect(cluster.remains()).toEqual([])
})

async function madePlane(userSpec: UserSpec = SQLITE) {
  const cluster = new FakeCluster()
  const stored = await cluster.create('dev', { userSpec })
  return { cluster, context: cluster.driverContext(), stored }
}

function configurationOf({ api }: FakeCluster): unknown {
  const found = api.objects.get('/api/v1/namespaces/team-a/configmaps/vplane-dev-kine')
  return Object(found?.['data']).DATA_MODE
}

function uidsOf({ api }: FakeCluster): Record<string, string | undefined> {
  return Object.fromEntries(
    PODS.map((name) => [
      name,
      api.objects.get(`/api/v1/namespaces/team-a/pods/${name}`)?.metadata.uid,
    ]),
  )
}
