import { expect, test } from 'vitest'
import { stepText } from '../../../../src/cli/catalog/step-text.ts'
import { changedSpec } from '../../../../src/control-plane/changes/changed-spec.ts'
import type { UserSpec } from '../../../../src/control-plane/spec/spec.ts'
import { changePlane } from '../../../../src/drivers/kubernetes/change/change-plane.ts'
import { planChange } from '../../../../src/drivers/kubernetes/change/plan-change.ts'
import { createPlane } from '../../../../src/drivers/kubernetes/lifecycle/create-plane.ts'
import type { ComponentProblem } from '../../../../src/drivers/kubernetes/context/problem.ts'
import { pausePlane } from '../../../../src/drivers/kubernetes/lifecycle/pause-plane.ts'
import {
  isReadableRecord,
  readRecord,
  type ReadableRecord,
  replaceRecord,
} from '../../../../src/drivers/kubernetes/record/record-store.ts'
import { objectLabels } from '../../../../src/manifests/object-names.ts'
import { VplaneError } from '../../../../src/shared/errors.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'
import { EPHEMERAL, FakeCluster, putObject, requestFor } from '../fake-cluster.ts'

const V4: UserSpec = { apiServer: { extraArgs: { v: '4' } } }
const ROLL = ['replace the pods of kube-apiserver']

test('replaces the pods of the component whose flags differ, and no others', async () => {
  const { cluster, stored } = await madePlane()
  const before = pods(cluster)

  expect(await plan(cluster, V4)).toEqual(ROLL)
  const { record } = await change(cluster, stored, V4)

  const after = pods(cluster)
  const changed = Object.keys(before).filter((name) => before[name] !== after[name])
  expect(changed).toEqual(['vplane-dev-kube-apiserver-0'])
  expect(record).toMatchObject({ userSpec: V4, spec: { apiServer: V4.apiServer } })
  expect(record).not.toHaveProperty('journal')
  expect(record.previousSpec).toBeUndefined()
  expect(await plan(cluster, V4)).toEqual([])
})

test('replaces nothing for other labels, which the Secret with the record gets', async () => {
  const { cluster, stored } = await madePlane()
  const before = pods(cluster)
  const wanted: UserSpec = { labels: { team: 'shop' } }

  const steps = await plan(cluster, wanted)
  await change(cluster, stored, wanted)

  expect(steps).toEqual([])
  expect(pods(cluster)).toEqual(before)
  const record = cluster.api.objects.get('/api/v1/namespaces/team-a/secrets/vplane-dev-record')
  expect(record?.metadata.labels).toEqual({ team: 'shop', ...objectLabels('dev') })
})

test('restarts etcd itself, as the host does not', async () => {
  const { cluster, stored } = await madePlane()
  const before = pods(cluster)
  const wanted: UserSpec = { etcd: { extraArgs: { 'max-txn-ops': '200' } } }

  const steps = await plan(cluster, wanted)
  await change(cluster, stored, wanted)

  expect(steps).toEqual(['change ConfigMap "vplane-dev-etcd"', 'replace the pods of etcd'])
  expect(pods(cluster)['vplane-dev-etcd-0']).not.toBe(before['vplane-dev-etcd-0'])
})

test('does not replace etcd where its pod has the data', async () => {
  const { cluster, stored } = await madePlane(EPHEMERAL)
  const before = pods(cluster)
  const wanted: UserSpec = { ...EPHEMERAL, etcd: { extraArgs: { 'max-txn-ops': '200' } } }

  const refusals = [await rejectionOf(plan(cluster, wanted))]
  const steps = await plan(cluster, { ...EPHEMERAL, ...V4 })
  refusals.push(await rejectionOf(change(cluster, stored, wanted)))

  expect(refusals).toMatchObject([{ code: 'FAILED' }, { code: 'FAILED' }])
  expect(refusals[0]?.message).toContain('"dev" is ephemeral: its data is in the pod of etcd')
  expect(steps).toEqual(ROLL)
  expect(pods(cluster)['vplane-dev-etcd-0']).toBe(before['vplane-dev-etcd-0'])
})

test('scales stateless components, and deletes what only several of them need', async () => {
  const { cluster, stored } = await madePlane()
  const budget = 'poddisruptionbudgets/vplane-dev-kube-apiserver'

  const two = await change(cluster, stored, { apiServer: { replicas: 2 } })
  const isThere = cluster.remains().includes(budget)
  const steps = await plan(cluster, {})
  await change(cluster, two, {})

  expect(isThere).toBe(true)
  expect(steps).toContain('run 1 of kube-apiserver instead of 2')
  expect(steps).toContain('remove PodDisruptionBudget "vplane-dev-kube-apiserver"')
  expect(cluster.remains()).not.toContain(budget)
  expect(Object.keys(pods(cluster))).toHaveLength(3)
})

test('deletes objects of older templates, and neither data, keys nor objects of others', async () => {
  const { cluster, cut, stored } = await madePlane()
  const role = '/apis/rbac.authorization.k8s.io/v1/namespaces/team-a/roles'
  const old = [
    putFormer(cluster, ['ConfigMap', 'configmaps'], 'vplane'),
    putFormer(cluster, ['Role', role], 'vplane'),
  ]
  const others = [
    putFormer(cluster, ['Secret', 'secrets'], 'vplane'),
    putFormer(cluster, ['PersistentVolumeClaim', 'persistentvolumeclaims'], 'vplane'),
    putFormer(cluster, ['Service', 'services'], 'kubectl'),
  ]
  const { record } = stored
  const former = { ...record, collections: [...(record.collections ?? []), role] }
  await replaceRecord(cluster.api, stored, { ...cluster.operation(), record: former })

  const steps = await plan(cluster, {})
  cut.in(18)
  await rejectionOf(change(cluster, await current(cluster), V4))
  cut.in(Infinity)
  const changed = await change(cluster, await current(cluster), V4)

  expect(steps).toEqual(['remove ConfigMap "vplane-dev-former"', 'remove Role "vplane-dev-former"'])
  expect(old.filter((path) => cluster.api.objects.has(path))).toEqual([])
  expect(others.filter((path) => !cluster.api.objects.has(path))).toEqual([])
  expect(changed.record.collections).toEqual(record.collections)
  expect(await plan(cluster, V4)).toEqual([])
})

test('keeps what an operator reports about its plane, while the plane needs one', async () => {
  const userSpec: UserSpec = { idle: '1h' }
  const { cluster } = await madePlane(userSpec, { declaredBy: 'uid-1' })
  const metadata = {
    name: 'vplane-dev-keeper-status',
    labels: objectLabels('dev', 'keeper'),
    managedFields: [{ manager: 'vplane' }],
  }
  putObject(cluster.api, ['ConfigMap', metadata])

  expect(await plan(cluster, userSpec)).toEqual([])
  expect(await plan(cluster, {})).toEqual(['remove ConfigMap "vplane-dev-keeper-status"'])
})

test.for([1, 2, 8, 15, 18])('continues a change interrupted at write %i', async (write) => {
  const { cluster, cut, stored } = await madePlane()
  cut.in(write)
  const failure = await rejectionOf(change(cluster, stored, V4))
  cut.in(Infinity)

  await change(cluster, await current(cluster), V4)

  expect(failure.message).toContain('the host is gone')
  expect(await plan(cluster, V4)).toEqual([])
})

test('reports why a component cannot run with its new flags', async () => {
  const { cluster, stored } = await madePlane()
  cluster.arePodsReady = false
  const problem: ComponentProblem = {
    component: 'kube-apiserver',
    object: 'Pod "x"',
    state: 'failed',
    reason: 'it ended with 1',
    hints: [],
    final: true,
  }
  const context = cluster.driverContext({ diagnose: () => Promise.resolve([problem]) })

  const error = await rejectionOf(
    changePlane(context, stored, {
      change: changedSpec(planeOf(stored), V4),
      operation: cluster.operation(),
    }),
  )

  expect(error.code).toBe('COMPONENT_FAILED')
  expect(error.message).toContain('kube-apiserver of "dev" cannot run: it ended with 1')
})

test('starts nothing of a paused plane, and refuses other members of etcd', async () => {
  const { cluster, stored } = await madePlane()
  await pausePlane(cluster.driverContext(), stored, cluster.operation())
  const resting = await current(cluster)

  const changed = await change(cluster, resting, V4)
  const error = await rejectionOf(change(cluster, changed, { etcd: { replicas: 3 } }))

  expect(changed.record).toMatchObject({ desired: 'paused', userSpec: V4 })
  expect(pods(cluster)).toEqual({})
  expect(error.message).toContain('is paused')
})

test('stops what an interrupted pause has left running', async () => {
  const { cluster, stored } = await madePlane()
  await pausePlane(cluster.driverContext(), stored, cluster.operation())
  const path = '/apis/apps/v1/namespaces/team-a/statefulsets/vplane-dev-etcd'
  await cluster.api.patch(path, { spec: { replicas: 1 } }, { type: 'merge' })
  const left = pods(cluster)

  await change(cluster, await current(cluster), V4)

  expect(Object.keys(left)).toEqual(['vplane-dev-etcd-0'])
  expect(pods(cluster)).toEqual({})
})

test('refuses a change of a plane that was changed since', async () => {
  const { cluster, stored } = await madePlane()
  const { record } = await change(cluster, stored, V4)
  const before = pods(cluster)
  const wanted: UserSpec = { controllerManager: { extraArgs: { v: '4' } } }

  const error = await rejectionOf(change(cluster, stored, wanted))
  const same = await change(cluster, stored, V4)

  expect(error).toMatchObject({ code: 'CONFLICT', message: '"dev" was changed meanwhile' })
  expect(pods(cluster)).toEqual(before)
  expect(same.record).toEqual(record)
})

/** A plane that was made, on a host whose connection may break. */
async function madePlane(userSpec: UserSpec = {}, fields: { declaredBy?: string } = {}) {
  let left = Infinity
  const isWrite = (verb: string) => !['get', 'list', 'watch', 'stream'].includes(verb)
  const cluster = new FakeCluster({
    onRequest: ({ path, verb }) => {
      // An interrupted command releases its Lease, or the Lease expires.
      const isMeant = isWrite(verb) && !path.includes('/leases')
      left -= isMeant ? 1 : 0
      if (isMeant && left < 0) {
        throw new VplaneError('UNREACHABLE', 'the host is gone')
      }
    },
  })
  const request = requestFor('dev', { userSpec, ...fields })
  const stored = await createPlane(cluster.driverContext(), request, cluster.operation())
  return { cluster, stored, cut: { in: (writes: number) => (left = writes) } }
}

/** An object with the labels of the plane that none of its templates makes. */
function putFormer(
  cluster: FakeCluster,
  [kind, resource]: [string, string],
  manager: string,
): string {
  const folder = resource.startsWith('/') ? resource : `/api/v1/namespaces/team-a/${resource}`
  const path = `${folder}/vplane-dev-former`
  cluster.api.put(path, {
    apiVersion: 'v1',
    kind,
    metadata: {
      name: 'vplane-dev-former',
      namespace: 'team-a',
      labels: objectLabels('dev'),
      managedFields: [{ manager }],
    },
  })
  return path
}

async function current(cluster: FakeCluster): Promise<ReadableRecord> {
  const { signal } = cluster.operation()
  const stored = await readRecord(cluster.api, { name: 'dev', namespace: 'team-a' }, { signal })
  expect.assert(stored !== undefined && isReadableRecord(stored))
  return stored
}

/** The pods that there are, and which ones they are. */
function pods(cluster: FakeCluster): Record<string, string | undefined> {
  const found = [...cluster.api.objects].filter(([path]) => path.includes('/pods/'))
  return Object.fromEntries(found.map(([, { metadata }]) => [metadata.name ?? '', metadata.uid]))
}

function planeOf({ record }: ReadableRecord) {
  return { ...record, driver: 'kubernetes' } as const
}

async function plan(cluster: FakeCluster, wanted: UserSpec): Promise<string[]> {
  const now = await current(cluster)
  const { steps } = await planChange(cluster.driverContext(), now, {
    change: changedSpec(planeOf(now), wanted),
    signal: cluster.operation().signal,
  })
  return steps.map(stepText)
}

function change(
  cluster: FakeCluster,
  stored: ReadableRecord,
  wanted: UserSpec,
): Promise<ReadableRecord> {
  return changePlane(cluster.driverContext(), stored, {
    change: changedSpec(planeOf(stored), wanted),
    operation: cluster.operation(),
  })
}
