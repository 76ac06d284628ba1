import { expect, test } from 'vitest'
import type { Leftover } from '../../../../src/control-plane/driver/driver.ts'
import type { CreateRequest } from '../../../../src/control-plane/driver/requests.ts'
import { createPlane } from '../../../../src/drivers/kubernetes/lifecycle/create-plane.ts'
import { removePlane } from '../../../../src/drivers/kubernetes/remove/remove-plane.ts'
import { type MemoryHostHooks, refusal } from '../../../support/api/memory-host-api.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'
import { FakeCluster, objectOf, requestFor } from '../fake-cluster.ts'

const HOUR_MS = 3_600_000
const BASE = '/api/v1/namespaces/team-a'
const RBAC = '/apis/rbac.authorization.k8s.io/v1'
const LABELS = { 'app.kubernetes.io/managed-by': 'vplane', 'vplane.dev/name': 'dev' }

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

test('returns at once a second time, and writes nothing', async () => {
  const { cluster, remove } = await madePlane()
  await remove()
  const before = cluster.api.writes.length

  expect(await remove()).toEqual([])
  expect(cluster.api.writes).toHaveLength(before)
})

test('deletes no other planes, and nothing else in the namespace', async () => {
  const { cluster, remove } = await madePlane()
  await make(cluster, 'dev-etcd')
  cluster.api.put(`${BASE}/secrets/mine`, objectOf('Secret', { name: 'mine', namespace: 'team-a' }))
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

test('deletes a plane whose record cannot be read', async () => {
  const { cluster, remove } = await madePlane()
  await cluster.api.patch(
    `${BASE}/secrets/vplane-dev-record`,
    { data: { record: '' } },
    { type: 'merge' },
  )

  expect(await remove()).toEqual([])
  expect(cluster.remains()).toEqual([])
})

test('deletes objects whose record is gone already', async () => {
  const { cluster, remove } = await madePlane()
  cluster.api.remove(`${BASE}/secrets/vplane-dev-record`)

  expect(await remove()).toEqual([])
  expect(cluster.remains()).toEqual([])
})

test('deletes the Lease of a dead vplane', async () => {
  const { cluster, remove } = await madePlane()
  await remove()
  cluster.api.put('/apis/coordination.k8s.io/v1/namespaces/team-a/leases/vplane-dev-lock', {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'vplane-dev-lock', namespace: 'team-a' },
    spec: { holderIdentity: '' },
  })

  await remove()

  expect(cluster.remains()).toEqual([])
})

test('does not delete a copy of an object, and reports it', async () => {
  const { cluster, remove } = await madePlane()
  const labels = { 'app.kubernetes.io/managed-by': 'vplane', 'vplane.dev/name': 'dev' }
  const metadata = { name: 'copy', namespace: 'team-a', labels }
  cluster.api.put(`${BASE}/secrets/copy`, objectOf('Secret', metadata))

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
  const { remove } = await madePlane({
    onRequest: ({ path, verb }) => {
      if (verb === 'delete' && path.endsWith('/configmaps/vplane-dev-etcd')) {
        throw refusal(403, 'admission webhook "guard.acme.io" denied the request')
      }
    },
  })

  expect(await remove()).toEqual([
    {
      what: 'ConfigMap "vplane-dev-etcd"',
      why: 'the host refuses to delete it: admission webhook "guard.acme.io" denied the request',
    },
  ])
})

test('reports the volumes that their StorageClass retains', async () => {
  const { cluster, remove } = await madePlane()
  const labels = { 'app.kubernetes.io/managed-by': 'vplane', 'vplane.dev/name': 'dev' }
  for (const [ordinal, persistentVolumeReclaimPolicy] of ['Retain', 'Delete'].entries()) {
    const volumeName = `pvc-${ordinal}`
    const metadata = { name: `data-vplane-dev-etcd-${ordinal}`, namespace: 'team-a', labels }
    cluster.api.put(`${BASE}/persistentvolumeclaims/${metadata.name}`, {
      ...objectOf('PersistentVolumeClaim', metadata),
      spec: { volumeName },
    })
    cluster.api.put(`/api/v1/persistentvolumes/${volumeName}`, {
      ...objectOf('PersistentVolume', { name: volumeName }),
      spec: { persistentVolumeReclaimPolicy },
    })
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
  cluster.putSynced('dev', ['persistentvolumeclaims', 'data-x-default-x-dev'])
  cluster.putSynced('prod', ['persistentvolumeclaims', 'data-x-default-x-prod'])
  const claim = `${BASE}/persistentvolumeclaims/data-x-default-x-dev`
  await cluster.api.patch(claim, { spec: { volumeName: 'pvc-1' } }, { type: 'merge' })
  cluster.api.put('/api/v1/persistentvolumes/pvc-1', {
    ...objectOf('PersistentVolume', { name: 'pvc-1' }),
    spec: { persistentVolumeReclaimPolicy: 'Retain' },
  })

  const leftovers = await removePlane(
    cluster.driverContext(),
    { name: 'dev', namespace: 'team-a', id: record.id },
    { ...cluster.operation(), keepData: false, patienceMs: 60 },
  )

  expect(leftovers).toMatchObject([{ what: 'PersistentVolume "pvc-1"', isKept: true }])
  expect(cluster.remains()).toEqual(['persistentvolumeclaims/data-x-default-x-prod'])
})

test.for([true, false])(
  'deletes its cluster-wide objects, with a readable record %s, and nothing of a plane of the same name',
  async (isReadable) => {
    const cluster = new FakeCluster()
    const collections = [`${RBAC}/clusterroles`, `${RBAC}/clusterrolebindings`]
    await cluster.storeSynced('dev', { collections })
    for (const [collection, namespace] of [
      [collections[0], 'team-a'],
      [collections[1], 'team-a'],
      [collections[0], 'team-b'],
    ] as const) {
      const labels = { ...LABELS, 'vplane.dev/namespace': namespace }
      const name = `vplane:${namespace}:dev:syncer`
      cluster.api.put(`${collection}/${name}`, objectOf('Any', { name, labels }))
    }
    if (!isReadable) {
      const path = `${BASE}/secrets/vplane-dev-record`
      await cluster.api.patch(path, { data: { record: '' } }, { type: 'merge' })
    }

    const leftovers = await removePlane(
      cluster.driverContext(),
      { name: 'dev', namespace: 'team-a' },
      { ...cluster.operation(), keepData: false, patienceMs: 60 },
    )

    expect(leftovers).toEqual([])
    expect([...cluster.api.objects.keys()].filter((path) => path.startsWith(RBAC))).toEqual([
      `${RBAC}/clusterroles/vplane:team-b:dev:syncer`,
    ])
  },
)

test('deletes what templates of a user add, of any kind', async () => {
  const { cluster, remove } = await madePlane()
  await addMonitor(cluster)

  expect(await remove()).toEqual([])
  expect(cluster.remains()).toEqual([])
})

test('deletes what another vplane adds while the removal waits for it', async () => {
  const hooks: MemoryHostHooks = {}
  const { cluster, remove } = await madePlane(hooks)
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
  const { cluster, remove } = await madePlane({
    onRequest: ({ path, verb }) => {
      if (verb === 'list' && /replicasets|controllerrevisions|endpoints|ingresses/.test(path)) {
        throw refusal(403, 'forbidden')
      }
    },
  })

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
    const { cluster, remove } = await madePlane({
      onRequest: ({ verb }) => {
        if (!['get', 'list', 'watch'].includes(verb) && left-- <= 0) {
          throw refusal(503, 'cut off')
        }
      },
    })
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
  const record = Object(cluster.recordOf('dev'))
  const collections = [...record.collections, collection]
  const text = JSON.stringify({ ...record, collections })
  const data = { record: Buffer.from(text).toString('base64') }
  await cluster.api.patch(`${BASE}/secrets/vplane-dev-record`, { data }, { type: 'merge' })
}

async function madePlane(hooks: MemoryHostHooks = {}) {
  const cluster = new FakeCluster(hooks)
  const id = await make(cluster, 'dev')
  return {
    cluster,
    remove: (of = id): Promise<Leftover[]> =>
      removePlane(
        cluster.driverContext(),
        { name: 'dev', namespace: 'team-a', id: of },
        { ...cluster.operation(), keepData: false, patienceMs: 60 },
      ),
  }
}

async function make(
  cluster: FakeCluster,
  name: string,
  fields: Partial<CreateRequest> = {},
): Promise<string> {
  const request = requestFor(name, fields)
  const { record } = await createPlane(cluster.driverContext(), request, cluster.operation())
  return record.id
}
