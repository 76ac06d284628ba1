import { expect, test } from 'vitest'
import { recordPath } from '../../../../src/drivers/kubernetes/record/record-store.ts'
import {
  type Removal,
  removePlane,
} from '../../../../src/drivers/kubernetes/remove/remove-plane.ts'
import type { MemoryHostHooks } from '../../../support/api/memory-host-api.ts'
import { refusing } from '../../../support/driver/refusing.ts'
import { FakeCluster, objectOf, putObject } from '../fake-cluster.ts'

const NAMESPACE = '/api/v1/namespaces/new'
const DEV = { name: 'dev', namespace: 'new' }

test('deletes the namespace that vplane created, when it has nothing else', async () => {
  const { cluster, remove } = await madePlane()
  // What every namespace gets by itself.
  putNew(cluster, 'ConfigMap', 'kube-root-ca.crt')
  putNew(cluster, 'ServiceAccount', 'default')

  expect(await remove()).toEqual([])
  expect(cluster.api.objects.has(NAMESPACE)).toBe(false)
})

test('deletes the pods with a short grace period before the namespace', async () => {
  const { cluster, remove } = await madePlane()

  await remove()

  const deletions = cluster.api.requests.filter((request) => request.startsWith('delete '))
  const lastPod = deletions.findLastIndex((request) => request.includes(`${NAMESPACE}/pods/`))
  expect(lastPod).toBeGreaterThan(0)
  expect(deletions.indexOf(`delete ${NAMESPACE}`)).toBeGreaterThan(lastPod)
})

test.for(['ConfigMap', 'Widget'])('keeps a namespace with a %s, and reports it', async (kind) => {
  const { cluster, remove } = await madePlane()
  putNew(cluster, kind, 'mine')

  const why = `it has objects that vplane did not create: ${kind} "mine"`
  expect(await remove()).toEqual([{ what: 'namespace "new"', why, isKept: true }])
  expect(cluster.api.objects.has(NAMESPACE)).toBe(true)
  expect(cluster.remains('new').filter((one) => one.includes('vplane'))).toEqual([])
})

test('names three of many', async () => {
  const { cluster, remove } = await madePlane()
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    putNew(cluster, 'ConfigMap', name)
  }

  const [leftover] = await remove()

  expect(leftover?.why).toMatch(/ConfigMap "a", ConfigMap "b", ConfigMap "c" and 2 more$/)
})

test('does not delete a namespace that others created', async () => {
  const { cluster, remove } = await madePlane('team-a')

  expect(await remove()).toEqual([])
  expect(cluster.api.objects.has('/api/v1/namespaces/team-a')).toBe(true)
})

test('leaves the namespace to the last plane in it', async () => {
  const { cluster, remove } = await madePlane()
  await cluster.create('other', { host: { namespace: 'new' } })

  const first = await remove()
  const isKept = cluster.api.objects.has(NAMESPACE)
  const last = await remove('other')

  expect([first, isKept, last]).toEqual([[], true, []])
  expect(cluster.api.objects.has(NAMESPACE)).toBe(false)
})

test('reads all planes of a namespace only when the one that stays is deleted as well', async () => {
  const { cluster } = await madePlane()
  const names = ['t-1', 't-2', 't-3', 't-4']
  for (const name of names) {
    await cluster.create(name, { host: { namespace: 'new' } })
  }
  const isListed = (request: string) => request === `list ${NAMESPACE}/secrets`
  const staying = new Map<string, string>()
  const listsOf = async (name: string) => {
    const before = cluster.api.requests.length
    await removeFrom(cluster, name, { staying })
    return cluster.api.requests.slice(before).filter(isListed).length
  }

  const [first, ...others] = [await listsOf('dev'), await listsOf('t-1'), await listsOf('t-2')]

  expect(staying).toEqual(new Map([['new', 't-4']]))
  expect(others).toEqual([first - 1, first - 1])
  await listsOf('t-4')
  expect(staying).toEqual(new Map([['new', 't-3']]))
  await listsOf('t-3')
  expect(cluster.api.objects.has(NAMESPACE)).toBe(false)
})

test('deletes the namespace when its last two planes are deleted together', async () => {
  const { cluster, remove } = await madePlane()
  await cluster.create('other', { host: { namespace: 'new' } })

  expect(await Promise.all([remove(), remove('other')])).toEqual([[], []])
  expect(cluster.remains('new')).toEqual([])
})

test('deletes the namespace when an object of another plane ends with its own record', async () => {
  const { cluster, remove } = await madePlane()
  const other = putObject(cluster.api, ['ConfigMap', { name: 'other', namespace: 'new' }])
  const removing = remove()
  await cluster.until(() => !cluster.api.objects.has(recordPath(DEV)))
  cluster.api.remove(other)

  expect(await removing).toEqual([])
  expect(cluster.remains('new')).toEqual([])
})

test('keeps a namespace that it may not list', async () => {
  const hooks = refusing(403, 'widgets is forbidden', /^list .*\/widgets$/)
  const { cluster, remove } = await madePlane('new', hooks)

  expect(await remove()).toEqual([{ what: 'namespace "new"', why: 'widgets is forbidden' }])
  expect(cluster.api.objects.has(NAMESPACE)).toBe(true)
})

test('deletes a plane in a namespace that is being deleted, without holding it', async () => {
  const { cluster, remove } = await madePlane()
  const deletionTimestamp = '2026-06-01T12:00:00Z'
  await cluster.api.patch(NAMESPACE, { metadata: { deletionTimestamp } }, { type: 'merge' })

  const removing = remove()
  await cluster.until(() => cluster.remains('new').length === 0)
  cluster.api.remove(NAMESPACE)

  expect(await removing).toEqual([])
})

test('reports what the host waits for when a namespace remains', async () => {
  const { cluster, remove } = await madePlane()
  const finalizers = ['acme.io/hold']
  const conditions = [
    { type: 'NamespaceContentRemaining', status: 'False', message: 'all content was deleted' },
    { type: 'NamespaceFinalizersRemaining', status: 'True', message: 'acme.io/hold in 1 resource' },
  ]
  const body = { metadata: { finalizers }, status: { conditions } }
  await cluster.api.patch(NAMESPACE, body, { type: 'merge' })

  expect(await remove('dev', 400)).toEqual([
    { what: 'namespace "new"', why: 'acme.io/hold in 1 resource' },
  ])
})

async function madePlane(namespace = 'new', hooks: MemoryHostHooks = {}) {
  const cluster = new FakeCluster(hooks)
  serveKinds(cluster)
  await cluster.create('dev', { host: { namespace } })
  return {
    cluster,
    remove: (name = 'dev', timeoutMs = 5000) => removeFrom(cluster, name, { namespace, timeoutMs }),
  }
}

interface RemoveOptions extends Pick<Removal, 'staying'> {
  namespace?: string
  timeoutMs?: number
}

function removeFrom(
  cluster: FakeCluster,
  name: string,
  { namespace = 'new', timeoutMs = 5000, ...options }: RemoveOptions,
) {
  return removePlane(
    cluster.driverContext(),
    { name, namespace },
    { ...cluster.operation({ timeoutMs }), keepData: false, patienceMs: 100, ...options },
  )
}

/** What a host says of the kinds that it has. */
function serveKinds({ api }: FakeCluster): void {
  const resource = (name: string, kind: string) => {
    return { name, kind, namespaced: true, verbs: ['list', 'get'] }
  }
  const group = (groupVersion: string) => {
    return { name: groupVersion.split('/')[0], preferredVersion: { groupVersion } }
  }
  const groups = [group('apps/v1'), group('metrics.k8s.io/v1beta1')]
  const kinds = ['ConfigMap', 'Event', 'Pod', 'Secret', 'Service', 'ServiceAccount', 'Widget']
  const core = [
    ...kinds.map((kind) => resource(`${kind.toLowerCase()}s`, kind)),
    resource('pods/status', 'Pod'),
    { ...resource('namespaces', 'Namespace'), namespaced: false },
    { ...resource('bindings', 'Binding'), verbs: ['create'] },
  ]
  const list = objectOf('APIResourceList', {})
  api.objects.set('/apis', { ...objectOf('APIGroupList', {}), groups })
  api.objects.set('/api/v1', { ...list, resources: core })
  api.objects.set('/apis/apps/v1', { ...list, resources: [resource('deployments', 'Deployment')] })
}

function putNew({ api }: FakeCluster, kind: string, name: string): void {
  putObject(api, [kind, { name, namespace: 'new' }])
}
