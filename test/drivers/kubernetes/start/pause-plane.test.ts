import { expect, test } from 'vitest'
import type { UserSpec } from '../../../../src/control-plane/spec.ts'
import { createPlane } from '../../../../src/drivers/kubernetes/create/create-plane.ts'
import { pausePlane } from '../../../../src/drivers/kubernetes/start/pause-plane.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'
import { EPHEMERAL, FakeCluster, requestFor } from '../fake-cluster.ts'

test('records that a plane is to rest, and takes its pods away, the last to start first', async () => {
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

test('keeps everything else, and takes a second time for done', async () => {
  const { cluster, stored } = await madePlane()
  const kept = cluster.remains().filter((path) => !path.startsWith('pods/'))

  await pausePlane(cluster.driverContext(), stored, cluster.operation())
  await pausePlane(cluster.driverContext(), stored, cluster.operation())

  expect(cluster.remains()).toEqual(kept)
})

test('lets etcd of an ephemeral plane run on, and says so', async () => {
  const { cluster, stored } = await madePlane(EPHEMERAL)

  await pausePlane(cluster.driverContext(), stored, cluster.operation())

  const pods = cluster.remains().filter((path) => path.startsWith('pods/'))
  expect(pods).toEqual(['pods/vplane-dev-etcd-0'])
  expect(cluster.ui.notes).toEqual([
    'etcd of "dev" runs on: it holds the data of an ephemeral plane in memory.',
  ])
})

test('passes over a workload that somebody deleted', async () => {
  const { cluster, stored } = await madePlane()
  cluster.api.remove('/apis/apps/v1/namespaces/team-a/deployments/vplane-dev-kube-apiserver')
  cluster.api.remove('/api/v1/namespaces/team-a/pods/vplane-dev-kube-apiserver-0')

  await pausePlane(cluster.driverContext(), stored, cluster.operation())

  expect(cluster.remains().filter((path) => path.startsWith('pods/'))).toEqual([])
})

test('waits for pods that take their time', async () => {
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

test('says which component does not end in time', async () => {
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

async function madePlane(userSpec: UserSpec = {}) {
  const cluster = new FakeCluster()
  const request = requestFor('dev', { userSpec })
  const stored = await createPlane(cluster.driverContext(), request, cluster.operation())
  return { cluster, stored }
}
