import { expect, test } from 'vitest'
import type { UserSpec } from '../../../../src/control-plane/spec/spec.ts'
import { removePlane } from '../../../../src/drivers/kubernetes/remove/remove-plane.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'
import { objectLabels } from '../../../../src/manifests/object-names.ts'
import { EPHEMERAL, FakeCluster, putObject } from '../fake-cluster.ts'

const BASE = '/api/v1/namespaces/team-a'
const KEPT = [
  'persistentvolumeclaims/data-vplane-dev-etcd-0',
  'secrets/vplane-dev-ca',
  'secrets/vplane-dev-etcd',
  'secrets/vplane-dev-kube-apiserver',
  'secrets/vplane-dev-kube-controller-manager',
  'secrets/vplane-dev-record',
]

test('keeps volumes, keys and the record, tells how to use them, and deletes the rest, also twice', async () => {
  const { cluster, remove } = await madePlane()
  const claim = {
    what: 'PersistentVolumeClaim "data-vplane-dev-etcd-0"',
    why: 'kept: the plane can be created again with it',
    isKept: true,
  }

  expect(await remove()).toEqual([claim])
  expect(cluster.remains()).toEqual(KEPT)
  expect(cluster.recordOf('dev')).toMatchObject({ desired: 'kept', isComplete: false })
  expect(cluster.recordOf('dev')).not.toHaveProperty('journal')
  expect(await remove()).toEqual([claim])
  expect(cluster.remains()).toEqual(KEPT)
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

test('creates the plane again with the retained data', async () => {
  const { cluster, id, remove } = await madePlane()
  await remove()

  const { record } = await cluster.create('dev', { host: { adopt: true } })

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
  await cluster.damageRecord('dev')

  expect((await rejectionOf(remove())).message).toContain('its data cannot be kept')
})

test('keeps the volumes of the pods that a plane runs, which end as for a pause', async () => {
  const cluster = new FakeCluster()
  const { record } = await cluster.storeSynced('dev')
  const remove = removal(cluster, record.id)
  cluster.putSynced('dev', ['persistentvolumeclaims', 'data-x-default-x-dev'])
  cluster.putSynced('dev', ['pods', 'db-x-default-x-dev'])

  const kept = await remove()
  const remains = cluster.remains()
  await remove({ keepData: false })

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
  const { id } = (await cluster.create('dev', { userSpec })).record
  const claim = { name: 'data-vplane-dev-etcd-0', labels: objectLabels('dev') }
  putObject(cluster.api, ['PersistentVolumeClaim', claim])
  return { cluster, id, remove: removal(cluster, id) }
}

function removal(cluster: FakeCluster, id: string) {
  return ({ keepData = true } = {}) =>
    removePlane(
      cluster.driverContext(),
      { name: 'dev', namespace: 'team-a', ...(keepData ? { id } : {}) },
      { ...cluster.operation(), keepData, patienceMs: 60 },
    )
}
