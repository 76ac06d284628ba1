import { expect, test } from 'vitest'
import type { Leftover } from '../../../../src/control-plane/driver/driver.ts'
import { removePlane } from '../../../../src/drivers/kubernetes/remove/remove-plane.ts'
import { objectLabels } from '../../../../src/manifests/object-names.ts'
import type { MemoryHostHooks } from '../../../support/api/memory-host-api.ts'
import { refusing } from '../../../support/driver/refusing.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'
import { FakeCluster, objectOf, putObject } from '../fake-cluster.ts'

const HOUR_MS = 3_600_000
const BASE = '/api/v1/namespaces/team-a'
const RBAC = '/apis/rbac.authorization.k8s.io/v1'
const RECORD = `${BASE}/secrets/vplane-dev-record`
const LABELS = objectLabels('dev')

test('leaves nothing of a plane', async () => {
  const { cluster, remove } = await madePlane()

  expect(await remove()).toEqual([])
  expect(cluster.remains()).toEqual([])
  expect(cluster.ui.steps.at(-1)).toBe('Removing "dev"')
})

test('leaves objects of a StatefulSet to the host that only it may delete', async () => {
  const { cluster, remove } = await madePlane()
  const seen: Array<string | undefined> = []
  const remember = cluster.api.delete.bind(cluster.api)
  cluster.api.delete = (path, options) => {
    seen.push(...(path.includes('/statefulsets/') ? [options?.propagation] : []))
    return remember(path, options)
  }

  await remove()

  expect(seen).toEqual(['Background'])
})

test('lists all kinds only as long as workloads are left, and watches no pods without any', async () => {
  const cluster = new FakeCluster()
  const { record } = await cluster.create('dev', { isPaused: true })
  const before = cluster.api.requests.length

  expect(await removeFrom(cluster, record.id)).toEqual([])

  const requests = cluster.api.requests.slice(before)
  const listed = (resource: string) =>
    requests.filter((request) => request.startsWith('list ') && request.endsWith(`/${resource}`))
  expect(listed('deployments')).toHaveLength(2)
  expect(listed('persistentvolumeclaims').length).toBeLessThanOrEqual(4)
  expect(listed('pods')).toHaveLength(4)
  expect(requests.filter((request) => request.startsWith('watch '))).toEqual([])
  expect(requests.filter((request) => request.startsWith('replace '))).toHaveLength(3)
})

test.for([
  { isPaused: true, propagation: 'Background' },
  { isPaused: false, propagation: 'Orphan' },
])('spares the pods of Deployments their grace period, if there are any: %j', async (given) => {
  const cluster = new FakeCluster()
  const { record } = await cluster.create('dev', { isPaused: given.isPaused })
  const seen: Array<string | undefined> = []
  const remember = cluster.api.delete.bind(cluster.api)
  cluster.api.delete = (path, options) => {
    seen.push(...(path.includes('/deployments/') ? [options?.propagation] : []))
    return remember(path, options)
  }

  await removeFrom(cluster, record.id)

  expect(seen).toEqual([given.propagation, given.propagation])
})

test('returns at once a second time, and writes nothing', async () => {
  const { cluster, remove } = await madePlane()
  await remove()
  const before = cluster.api.writes.length

  expect(await remove()).toEqual([])
  expect(cluster.api.writes).toHaveLength(before)
})

test('deletes no other planes, and nothing else in the namespace', async () => {
  const { cluster, remove } = await madePlane()
  await cluster.create('dev-etcd')
  putObject(cluster.api, ['Secret', { name: 'mine' }])
  const others = () =>
    [...cluster.api.objects.values()].filter(
      ({ metadata }) => metadata.labels?.['vplane.dev/name'] !== 'dev',
    )
  const before = others()

  expect(await remove()).toEqual([])

  expect([...cluster.api.objects.values()]).toEqual(before)
  expect(cluster.recordOf('dev-etcd')).toMatchObject({ name: 'dev-etcd' })
})

test('deletes no plane that was created again under the name', async () => {
  const { cluster, remove } = await madePlane()
  const before = cluster.remains()

  expect((await rejectionOf(remove('another'))).code).toBe('CONTROL_PLANE_NOT_FOUND')
  expect(cluster.remains()).toEqual(before)
})

test.for<[string, (cluster: FakeCluster) => unknown]>([
  ['a plane whose record cannot be read', (cluster) => cluster.damageRecord('dev')],
  ['objects whose record is gone already', ({ api }) => api.remove(RECORD)],
  ['what templates of a user add, of any kind', addMonitor],
])('deletes %s', async ([, change]) => {
  const { cluster, remove } = await madePlane()
  await change(cluster)

  expect(await remove()).toEqual([])
  expect(cluster.remains()).toEqual([])
})

test('deletes the Lease of a dead vplane', async () => {
  const { cluster, remove } = await madePlane()
  await remove()
  const lease = { apiVersion: 'coordination.k8s.io/v1', spec: { holderIdentity: '' } }
  putObject(cluster.api, ['Lease', { name: 'vplane-dev-lock' }], lease)

  await remove()

  expect(cluster.remains()).toEqual([])
})

test('does not delete a copy of an object, and reports it', async () => {
  const { cluster, remove } = await madePlane()
  putObject(cluster.api, ['Secret', { name: 'copy', labels: LABELS }])

  expect(await remove()).toEqual([
    { what: 'Secret "copy"', why: 'it has the labels of the plane, but vplane did not create it' },
  ])
  expect(cluster.remains()).toEqual(['secrets/copy'])
})

test('gives up when a finalizer holds an object, names it, and keeps the record', async () => {
  const { cluster, remove } = await madePlane()
  const path = `${BASE}/configmaps/vplane-dev-etcd`
  await cluster.api.patch(path, { metadata: { finalizers: ['acme.io/hold'] } }, { type: 'merge' })

  expect(await remove()).toEqual([
    { what: 'ConfigMap "vplane-dev-etcd"', why: 'it has the finalizer "acme.io/hold"' },
  ])
  expect(cluster.recordOf('dev')).toMatchObject({ journal: { operation: 'remove' } })

  cluster.api.remove(path)
  expect(await remove()).toEqual([])
  expect(cluster.remains()).toEqual([])
})

test('names the webhook that refuses', async () => {
  const denial = 'admission webhook "guard.acme.io" denied the request'
  const isDenied = /^delete .*\/configmaps\/vplane-dev-etcd$/
  const { remove } = await madePlane(refusing(403, denial, isDenied))

  expect(await remove()).toEqual([
    { what: 'ConfigMap "vplane-dev-etcd"', why: `the host refuses to delete it: ${denial}` },
  ])
})

test('reports the volumes that their StorageClass retains', async () => {
  const { cluster, remove } = await madePlane()
  for (const [ordinal, policy] of ['Retain', 'Delete'].entries()) {
    const claim = { name: `data-vplane-dev-etcd-${ordinal}`, labels: LABELS }
    const spec = { volumeName: `pvc-${ordinal}` }
    putObject(cluster.api, ['PersistentVolumeClaim', claim], { spec })
    putVolume(cluster, spec.volumeName, policy)
  }

  expect(await remove()).toEqual([
    {
      what: 'PersistentVolume "pvc-0"',
      why: 'its reclaim policy is Retain, so it still has the data',
      isKept: true,
    },
  ])
})

test('deletes all objects of a syncer, also volumes, and reports those that are retained', async () => {
  const cluster = new FakeCluster()
  const { record } = await cluster.storeSynced('dev')
  cluster.putSynced('dev', ['pods', 'db-x-default-x-dev'])
  const spec = { volumeName: 'pvc-1' }
  cluster.putSynced('dev', ['persistentvolumeclaims', 'data-x-default-x-dev'], { spec })
  cluster.putSynced('prod', ['persistentvolumeclaims', 'data-x-default-x-prod'])
  putVolume(cluster, 'pvc-1', 'Retain')

  expect(await removeFrom(cluster, record.id)).toMatchObject([
    { what: 'PersistentVolume "pvc-1"', isKept: true },
  ])
  expect(cluster.remains()).toEqual(['persistentvolumeclaims/data-x-default-x-prod'])
})

test.for([true, false])(
  'deletes its cluster-wide objects, with a readable record %s, and nothing of a plane of the same name',
  async (isReadable) => {
    const cluster = new FakeCluster()
    const collections = [`${RBAC}/clusterroles`, `${RBAC}/clusterrolebindings`]
    await cluster.storeSynced('dev', { collections })
    const putRight = (kind: string, namespace: string) => {
      const labels = { ...LABELS, 'vplane.dev/namespace': namespace }
      const metadata = { name: `vplane:${namespace}:dev:syncer`, labels }
      putObject(cluster.api, [kind, metadata], { apiVersion: 'rbac.authorization.k8s.io/v1' })
    }
    putRight('ClusterRole', 'team-a')
    putRight('ClusterRoleBinding', 'team-a')
    putRight('ClusterRole', 'team-b')
    if (!isReadable) {
      await cluster.damageRecord('dev')
    }

    expect(await removeFrom(cluster)).toEqual([])
    expect([...cluster.api.objects.keys()].filter((path) => path.startsWith(RBAC))).toEqual([
      `${RBAC}/clusterroles/vplane:team-b:dev:syncer`,
    ])
  },
)

test('deletes what another vplane adds while the removal waits for it', async () => {
  const { cluster, remove } = await madePlane()
  let isAdded = false
  cluster.api.hooks.onRequest = async ({ path, verb }) => {
    if (!isAdded && verb === 'create' && path.endsWith('/leases')) {
      isAdded = true
      await addMonitor(cluster)
    }
  }

  expect(await remove()).toEqual([])
  expect(isAdded).toBe(true)
  expect(cluster.remains()).toEqual([])
})

test('skips kinds that may not be listed and need not be', async () => {
  const isHidden = /^list .*(replicasets|controllerrevisions|endpoints|ingresses)/
  const { cluster, remove } = await madePlane(refusing(403, 'forbidden', isHidden))

  expect(await remove()).toEqual([])
  expect(cluster.remains()).toEqual([])
})

test('continues after any interruption', { timeout: 120_000 }, async () => {
  const whole = await madePlane()
  const before = whole.cluster.api.writes.length
  await whole.remove()
  const writes = whole.cluster.api.writes.length - before

  for (let cut = 0; cut < writes; cut += 2) {
    let left = Number.POSITIVE_INFINITY
    const isCutOff = (request: string) => !/^(get|list|watch) /.test(request) && left-- <= 0
    const { cluster, remove } = await madePlane(refusing(503, 'cut off', isCutOff))
    left = cut
    await remove().catch(() => {})
    left = Number.POSITIVE_INFINITY
    cluster.time = new Date(cluster.time.getTime() + HOUR_MS)

    expect(await remove()).toEqual([])
    expect(cluster.remains()).toEqual([])
  }
})

/** Stores an object of a user's templates, and its kind in the record. */
async function addMonitor(cluster: FakeCluster): Promise<void> {
  const collection = '/apis/monitoring.acme.io/v1/namespaces/team-a/monitors'
  const metadata = { name: 'vplane-dev-monitor', namespace: 'team-a', labels: LABELS }
  await cluster.api.apply(`${collection}/vplane-dev-monitor`, objectOf('Monitor', metadata))
  const { record } = await cluster.stored('dev')
  const collections = [...(record.collections ?? []), collection]
  await cluster.changeRecord('dev', { collections })
}

function putVolume({ api }: FakeCluster, name: string, policy: string): void {
  const spec = { persistentVolumeReclaimPolicy: policy }
  api.put(`/api/v1/persistentvolumes/${name}`, { ...objectOf('PersistentVolume', { name }), spec })
}

async function madePlane(hooks: MemoryHostHooks = {}) {
  const cluster = new FakeCluster(hooks)
  const { record } = await cluster.create('dev')
  return { cluster, remove: (id = record.id) => removeFrom(cluster, id) }
}

function removeFrom(cluster: FakeCluster, id?: string): Promise<Leftover[]> {
  return removePlane(
    cluster.driverContext(),
    { name: 'dev', namespace: 'team-a', ...(id === undefined ? {} : { id }) },
    { ...cluster.operation(), keepData: false, patienceMs: 60 },
  )
}
