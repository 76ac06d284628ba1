import { expect, test } from 'vitest'
import type { Leftover } from '../../../../src/control-plane/driver/driver.ts'
import type { UserSpec } from '../../../../src/control-plane/spec/spec.ts'
import { createPlane } from '../../../../src/drivers/kubernetes/lifecycle/create-plane.ts'
import { removePlane } from '../../../../src/drivers/kubernetes/remove/remove-plane.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'
import { EPHEMERAL, FakeCluster, objectOf, requestFor } from '../fake-cluster.ts'

const BASE = '/api/v1/namespaces/team-a'
const KEPT = [
  'persistentvolumeclaims/data-vplane-dev-etcd-0',
  'secrets/vplane-dev-ca',
  'secrets/vplane-dev-etcd',
  'secrets/vplane-dev-kube-apiserver',
  'secrets/vplane-dev-kube-controller-manager',
  'secrets/vplane-dev-record',
]

test('keeps volumes, keys and the record, tells how to use them again, and deletes the rest', async () => {
  const { cluster, remove } = await madePlane()

  expect(await remove()).toEqual([
    {
      what: 'PersistentVolumeClaim "data-vplane-dev-etcd-0"',
      why: 'kept: the plane can be created again with it',
      isKept: true,
    },
  ])
  expect(cluster.remains()).toEqual(KEPT)
  expect(cluster.recordOf('dev')).toMatchObject({ desired: 'kept', isComplete: false })
  expect(cluster.recordOf('dev')).not.toHaveProperty('journal')
})

test('stops the components in their order first', async () => {
  const { cluster, remove } = await madePlane()

  await remove()

  expect(cluster.ui.steps.filter((step) => step.startsWith('Stopping'))).toEqual([
    'Stopping kube-controller-manager',
    'Stopping kube-apiserver',
    'Stopping etcd',
  ])
})

test('changes nothing a second time, and names the retained volumes again', async () => {
  const { cluster, remove } = await madePlane()
  const first = await remove()

  expect(await remove()).toEqual(first)
  expect(cluster.remains()).toEqual(KEPT)
})

test('creates the plane again with the retained data', async () => {
  const { cluster, id, remove } = await madePlane()
  await remove()

  const request = requestFor('dev', { host: { adopt: true } })
  const { record } = await createPlane(cluster.driverContext(), request, cluster.operation())

  expect(record).toMatchObject({ id, desired: 'running', isComplete: true })
  expect(cluster.remains()).toEqual(expect.arrayContaining([...KEPT, 'pods/vplane-dev-etcd-0']))
})

test('deletes the retained data when the plane is deleted again', async () => {
  const { cluster, remove } = await madePlane()
  await remove()

  expect(await remove({ keepData: false })).toEqual([])
  expect(cluster.remains()).toEqual([])
})

test('keeps nothing of an ephemeral plane, which has no data', async () => {
  const { cluster, remove } = await madePlane(EPHEMERAL)
  const before = cluster.remains()

  const error = await rejectionOf(remove())

  expect(error).toMatchObject({
    code: 'USAGE',
    message: '"dev" is ephemeral: it has no data that could be kept',
  })
  expect(cluster.remains()).toEqual(before)
})

test('keeps nothing of a plane whose record cannot be read', async () => {
  const { cluster, remove } = await madePlane()
  await cluster.api.patch(
    `${BASE}/secrets/vplane-dev-record`,
    { data: { record: '' } },
    { type: 'merge' },
  )

  expect((await rejectionOf(remove())).message).toContain('its data cannot be kept')
})

test('keeps the volumes of the pods that a plane runs, which end as for a pause', async () => {
  const cluster = new FakeCluster()
  const { record } = await cluster.storeSynced('dev')
  cluster.putSynced('dev', ['persistentvolumeclaims', 'data-x-default-x-dev'])
  cluster.putSynced('dev', ['pods', 'db-x-default-x-dev'])
  const remove = (keepData: boolean) =>
    removePlane(
      cluster.driverContext(),
      { name: 'dev', namespace: 'team-a', ...(keepData ? { id: record.id } : {}) },
      { ...cluster.operation(), keepData, patienceMs: 60 },
    )

  const kept = await remove(true)
  const remains = cluster.remains()
  await remove(false)

  expect(kept).toMatchObject([
    { what: 'PersistentVolumeClaim "data-x-default-x-dev"', isKept: true },
  ])
  expect(remains).toEqual([
    'persistentvolumeclaims/data-x-default-x-dev',
    'secrets/vplane-dev-record',
  ])
  expect(cluster.ui.steps).toContain('Stopping its pods')
  expect(cluster.remains()).toEqual([])
})

test('does not report as kept what could not be deleted', async () => {
  const { cluster, remove } = await madePlane()
  const path = `${BASE}/configmaps/vplane-dev-etcd`
  await cluster.api.patch(path, { metadata: { finalizers: ['acme.io/hold'] } }, { type: 'merge' })

  const leftovers = await remove()

  expect(leftovers).toEqual([expect.objectContaining({ what: 'ConfigMap "vplane-dev-etcd"' })])
  expect(cluster.recordOf('dev')).toMatchObject({ desired: 'running' })
})

async function madePlane(userSpec: UserSpec = {}) {
  const cluster = new FakeCluster()
  const request = requestFor('dev', { userSpec })
  const { record } = await createPlane(cluster.driverContext(), request, cluster.operation())
  const labels = { 'app.kubernetes.io/managed-by': 'vplane', 'vplane.dev/name': 'dev' }
  const claim = { name: 'data-vplane-dev-etcd-0', namespace: 'team-a', labels }
  cluster.api.put(
    `${BASE}/persistentvolumeclaims/${claim.name}`,
    objectOf('PersistentVolumeClaim', claim),
  )
  return {
    cluster,
    id: record.id,
    remove: ({ keepData = true } = {}): Promise<Leftover[]> =>
      removePlane(
        cluster.driverContext(),
        { name: 'dev', namespace: 'team-a', ...(keepData ? { id: record.id } : {}) },
        { ...cluster.operation(), keepData, patienceMs: 60 },
      ),
  }
}
