import { expect, test } from 'vitest'
import type { UserSpec } from '../../../../src/control-plane/spec/spec.ts'
import { createPlane } from '../../../../src/drivers/kubernetes/lifecycle/create-plane.ts'
import { pausePlane } from '../../../../src/drivers/kubernetes/lifecycle/pause-plane.ts'
import type { PlaneRecord } from '../../../../src/drivers/kubernetes/record/plane-record.ts'
import { COMPONENT_LABEL, objectLabels } from '../../../../src/manifests/object-names.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'
import { EPHEMERAL, FakeCluster, requestFor } from '../fake-cluster.ts'

const SINCE = '2026-06-01T12:00:00.000Z'
const CHANGE = { operation: 'change', step: 'replacing etcd', at: SINCE, holder: 'me' } as const
const idle = { since: new Date(SINCE), isStill: () => Promise.resolve(true) }

test('records that a plane is paused, and deletes its pods, the last to start first', async () => {
  const { cluster, stored } = await madePlane()
  const before = cluster.api.writes.length

  await pausePlane(cluster.driverContext(), stored, cluster.operation())

  const scaled = cluster.api.writes.slice(before).filter((write) => write.startsWith('patch'))
  expect(scaled.map((write) => write.replace(/.*vplane-dev-/, ''))).toEqual([
    'kube-controller-manager',
    'kube-apiserver',
    'etcd',
  ])
  expect(cluster.recordOf('dev')).toMatchObject({ desired: 'paused' })
  expect(cluster.recordOf('dev')).not.toHaveProperty('journal')
  expect(cluster.remains().filter((path) => /^(pods|leases)\//.test(path))).toEqual([])
  expect(cluster.ui.steps.slice(-3)).toEqual([
    'Stopping kube-controller-manager',
    'Stopping kube-apiserver',
    'Stopping etcd',
  ])
})

test('keeps everything else, also a second time', async () => {
  const { cluster, stored } = await madePlane()
  const kept = cluster.remains().filter((path) => !path.startsWith('pods/'))

  await pausePlane(cluster.driverContext(), stored, cluster.operation())
  await pausePlane(cluster.driverContext(), stored, cluster.operation())

  expect(cluster.remains()).toEqual(kept)
})

test('keeps etcd of an ephemeral plane running, and notes that', async () => {
  const { cluster, stored } = await madePlane(EPHEMERAL)

  await pausePlane(cluster.driverContext(), stored, cluster.operation())

  const pods = cluster.remains().filter((path) => path.startsWith('pods/'))
  expect(pods).toEqual(['pods/vplane-dev-etcd-0'])
  expect(cluster.ui.notes).toEqual([
    'etcd of "dev" continues to run: it has the data of an ephemeral plane in memory.',
  ])
})

test('skips a workload that was deleted', async () => {
  const { cluster, stored } = await madePlane()
  cluster.api.remove('/apis/apps/v1/namespaces/team-a/deployments/vplane-dev-kube-apiserver')
  cluster.api.remove('/api/v1/namespaces/team-a/pods/vplane-dev-kube-apiserver-0')

  await pausePlane(cluster.driverContext(), stored, cluster.operation())

  expect(cluster.remains().filter((path) => path.startsWith('pods/'))).toEqual([])
})

test('waits for slow pods', async () => {
  const { cluster, stored } = await madePlane()
  const path = '/api/v1/namespaces/team-a/pods/slow'
  const pod = cluster.api.objects.get(`/api/v1/namespaces/team-a/pods/vplane-dev-kube-apiserver-0`)
  cluster.api.put(path, {
    ...pod,
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...pod?.metadata, name: 'slow' },
  })
  const isWaiting = () => cluster.ui.steps.at(-1) === 'Stopping kube-apiserver'

  const pausing = pausePlane(cluster.driverContext(), stored, cluster.operation())
  await cluster.until(isWaiting)
  await cluster.until(() => cluster.api.requests.at(-1)?.startsWith('list ') === true)
  const wasWaiting = isWaiting()
  cluster.api.remove(path)
  await pausing

  expect(wasWaiting).toBe(true)
})

test('names the component that does not end in time', async () => {
  const { cluster, stored } = await madePlane()
  const pod = cluster.api.objects.get('/api/v1/namespaces/team-a/pods/vplane-dev-etcd-0')
  const metadata = { ...pod?.metadata, name: 'stuck' }
  cluster.api.put('/api/v1/namespaces/team-a/pods/stuck', {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata,
  })

  const error = await rejectionOf(
    pausePlane(cluster.driverContext(), stored, cluster.operation({ timeoutMs: 50 })),
  )

  expect(error).toMatchObject({
    code: 'TIMED_OUT',
    message: expect.stringContaining('waiting for the end of etcd of "dev"'),
  })
  expect(cluster.recordOf('dev')).toMatchObject({
    desired: 'paused',
    journal: { operation: 'pause', step: 'stopping etcd' },
  })
})

test('stops the syncer first, and then the pods that the plane runs, before the rest', async () => {
  const cluster = new FakeCluster()
  const stored = await cluster.storeSynced('dev')
  cluster.putSynced('dev', ['pods', 'web'])
  cluster.putSynced('prod', ['pods', 'of-another-plane'])
  cluster.putSynced('dev', ['pods', 'only-labelled'], { annotations: {} })

  await pausePlane(cluster.driverContext(), stored, cluster.operation())

  expect(cluster.ui.steps.slice(0, 3)).toEqual([
    'Stopping syncer',
    'Stopping its pods',
    'Stopping kube-controller-manager',
  ])
  expect(cluster.remains().filter((path) => path.startsWith('pods/'))).toEqual([
    'pods/of-another-plane',
    'pods/only-labelled',
  ])
})

test('waits for the grace period of pods, and reports when it is not enough', async () => {
  const cluster = new FakeCluster()
  const stored = await cluster.storeSynced('dev')
  cluster.putSynced('dev', ['pods', 'stuck'], { finalizers: ['example.com/hold'] })
  const path = '/api/v1/namespaces/team-a/pods/stuck'
  await cluster.api.patch(
    path,
    { spec: { terminationGracePeriodSeconds: 0.05 } },
    { type: 'merge' },
  )

  const pausing = pausePlane(cluster.driverContext(), stored, cluster.operation({ timeoutMs: 50 }))

  expect(await rejectionOf(pausing)).toMatchObject({
    code: 'TIMED_OUT',
    message: expect.stringContaining('waiting for the end of the pods of "dev" after 0.1 s'),
  })
})

test('stops the keeper last, so that it can pause its plane, and does not wait for its end', async () => {
  const { cluster, stored } = await storedPlane({ userSpec: { idle: '30m' } })
  const path = '/api/v1/namespaces/team-a/pods/the-keeper'
  const labels = { ...objectLabels('dev'), [COMPONENT_LABEL]: 'keeper' }
  cluster.api.put(path, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'the-keeper', labels } })
  const before = cluster.api.writes.length

  await pausePlane(cluster.driverContext(), stored, { ...cluster.operation(), idle })

  const scaled = cluster.api.writes.slice(before).filter((write) => write.startsWith('patch'))
  expect(scaled.map((write) => write.replace(/.*vplane-dev-/, ''))).toEqual([
    'kube-controller-manager',
    'kube-apiserver',
    'etcd',
    'keeper',
  ])
  expect(cluster.remains()).toContain('pods/the-keeper')
  expect(cluster.recordOf('dev')).toMatchObject({ desired: 'paused', idleSince: SINCE })
  expect(cluster.recordOf('dev')).not.toHaveProperty('journal')
})

test.for([
  ['was used meanwhile', {}, { ...idle, isStill: () => Promise.resolve(false) }],
  ['someone has paused', { desired: 'paused' }, idle],
  ['is not finished', { isComplete: false }, idle],
  ['has an unfinished operation', { journal: CHANGE }, idle],
  ['is half restored', { restoring: { former: 'x' } }, idle],
] as const)('pauses no idle plane that %s', async ([, fields, because]) => {
  const { cluster, stored } = await storedPlane(fields)
  const before = cluster.recordOf('dev')

  await pausePlane(cluster.driverContext(), stored, { ...cluster.operation(), idle: because })

  expect(cluster.recordOf('dev')).toEqual(before)
  expect(podsIn(cluster)).toHaveLength(3)
})

test('continues the pause of an idle plane', async () => {
  const { cluster, stored } = await storedPlane({ desired: 'paused', idleSince: SINCE })

  await pausePlane(cluster.driverContext(), stored, { ...cluster.operation(), idle })

  expect(podsIn(cluster)).toEqual([])
})

function podsIn(cluster: FakeCluster): string[] {
  return cluster.remains().filter((path) => path.startsWith('pods/'))
}

async function storedPlane(fields: Partial<PlaneRecord>) {
  const cluster = new FakeCluster()
  return { cluster, stored: await cluster.storeSynced('dev', { userSpec: {}, ...fields }) }
}

async function madePlane(userSpec: UserSpec = {}) {
  const cluster = new FakeCluster()
  const request = requestFor('dev', { userSpec })
  const stored = await createPlane(cluster.driverContext(), request, cluster.operation())
  return { cluster, stored }
}
