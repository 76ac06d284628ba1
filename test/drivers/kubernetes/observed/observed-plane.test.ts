import { expect, test } from 'vitest'
import { COMPONENT_NAMES } from '../../../../src/control-plane/plane/plane.ts'
import { areReady, isAsWanted } from '../../../../src/drivers/kubernetes/observed/is-as-wanted.ts'
import {
  observePlane,
  PlaneObserver,
} from '../../../../src/drivers/kubernetes/observed/observed-plane.ts'
import { workloadPath } from '../../../../src/drivers/kubernetes/observed/workloads.ts'
import type { MemoryHostHooks } from '../../../support/api/memory-host-api.ts'
import { refusing } from '../../../support/driver/refusing.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'
import { EPHEMERAL, FakeCluster } from '../fake-cluster.ts'

const { signal } = new AbortController()
const DEV = { name: 'dev', namespace: 'team-a' }

test('looks at many planes of one moment with as many requests as at one', async () => {
  const cluster = await clusterWith(['team-a/one', 'team-a/two', 'team-a/three'])
  const looks = new PlaneObserver()

  const names = ['one', 'two', 'none']
  const found = await Promise.all(
    names.map((name) => looks.at(cluster.api, { name, namespace: 'team-a' }, signal)),
  )

  expect(cluster.api.requests).toHaveLength(4)
  expect(found.map(({ stored }) => stored?.name)).toEqual(['one', 'two', undefined])
  expect(found.map(({ pods }) => pods('etcd').map(({ metadata }) => metadata.name))).toEqual([
    ['vplane-one-etcd-0'],
    ['vplane-two-etcd-0'],
    [],
  ])
  expect(found[2]?.workload('etcd')).toBeUndefined()
})

test('names no planes to the host when they are too many for the address of a request', async () => {
  const cluster = await clusterWith(['team-a/one', 'team-a/two'])

  const { found, selectors } = await lookAtMany(cluster, ['one', 'two', 'none'])

  const [one, , none] = found
  expect(selectors).toEqual({
    secrets: ANY,
    pods: ANY,
    statefulsets: `${MANAGED},vplane.dev/name in (one,two)`,
    deployments: `${MANAGED},vplane.dev/name in (one,two)`,
  })
  expect(one?.pods('etcd').map(({ metadata }) => metadata.name)).toEqual(['vplane-one-etcd-0'])
  expect(one?.workload('etcd')).toBeDefined()
  expect([none?.stored, none?.workload('etcd')]).toEqual([undefined, undefined])
})

test('reads of many planes no workloads of those that are paused', async () => {
  const cluster = await clusterWith(['team-a/one', 'team-a/two', 'team-a/left'])
  for (const name of ['one', 'left']) {
    await cluster.changeRecord(name, { desired: 'paused' })
  }
  for (const component of COMPONENT_NAMES) {
    const path = workloadPath({ ...DEV, name: 'one' }, component)
    await cluster.api.patch(path, { spec: { replicas: 0 } }, { type: 'merge' })
  }

  const { found, selectors } = await lookAtMany(cluster, ['one', 'two', 'left'])
  const workloads = found.map(({ workload }) => workload('etcd')?.metadata.name)
  const onlyPaused = await lookAtMany(await clusterWith([]), [])

  expect(selectors['deployments']).toBe(`${MANAGED},vplane.dev/name in (two,left)`)
  expect(workloads).toEqual([undefined, 'vplane-two-etcd', 'vplane-left-etcd'])
  expect(onlyPaused.selectors).toEqual({ secrets: ANY, pods: ANY })
})

test('looks again for those who ask later', async () => {
  const cluster = await clusterWith(['team-a/one'])
  const looks = new PlaneObserver()
  const at = () => looks.at(cluster.api, { name: 'one', namespace: 'team-a' }, signal)

  const [before] = (await at()).pods('etcd')
  cluster.api.remove('/api/v1/namespaces/team-a/pods/vplane-one-etcd-0')
  const after = (await at()).pods('etcd')

  expect(before).toBeDefined()
  expect(after).not.toContainEqual(before)
})

const WHOLE = /^list (?!.*\/namespaces\/)/

test.for<[string, MemoryHostHooks, number]>([
  ['with few requests', {}, 4],
  ['one after the other where it may not look into all', refusing(403, 'forbidden', WHOLE), 20],
])('tells planes of one name in many namespaces apart, %s', async ([, hooks, requests]) => {
  const namespaces = ['a', 'b', 'c', 'd']
  const cluster = await clusterWith(
    namespaces.map((namespace) => `${namespace}/dev`),
    hooks,
  )
  const looks = new PlaneObserver()

  const found = await Promise.all(
    namespaces.map((namespace) => looks.at(cluster.api, { name: 'dev', namespace }, signal)),
  )

  expect(found.map(({ stored }) => stored?.namespace)).toEqual(namespaces)
  expect(cluster.api.requests).toHaveLength(requests)
})

test('tells everybody who asked that the host does not answer', async () => {
  const cluster = new FakeCluster(refusing(503, 'not now'))
  const looks = new PlaneObserver()
  const at = (name: string) => looks.at(cluster.api, { name, namespace: 'team-a' }, signal)

  const errors = await Promise.all([rejectionOf(at('one')), rejectionOf(at('two'))])

  expect(errors.map(({ code }) => code)).toEqual(['UNREACHABLE', 'UNREACHABLE'])
})

test('finds a plane as it is wanted only with all workloads, their pods and their replicas', async () => {
  const cluster = await clusterWith(['team-a/dev'])
  const path = '/apis/apps/v1/namespaces/team-a/deployments/vplane-dev-kube-apiserver'
  const { record } = await cluster.stored('dev')
  const isFine = async () => isAsWanted(record, await observePlane(cluster.api, DEV, signal))

  const fine = await isFine()
  await cluster.api.patch(path, { spec: { replicas: 2 } }, { type: 'merge' })
  const scaled = await isFine()
  await cluster.api.patch(path, { spec: { replicas: 1 } }, { type: 'merge' })
  cluster.api.remove('/api/v1/namespaces/team-a/pods/vplane-dev-kube-apiserver-0')
  const isReadyWithout = await areAllReady(cluster)
  const without = await isFine()

  expect([fine, scaled, without, isReadyWithout]).toEqual([true, false, false, false])
})

test('takes a pod that is about to end for gone', async () => {
  const cluster = await clusterWith(['team-a/dev'])
  const path = '/api/v1/namespaces/team-a/pods/vplane-dev-etcd-0'
  const before = await areAllReady(cluster)

  const deletionTimestamp = '2026-06-01T12:00:00Z'
  await cluster.api.patch(path, { metadata: { deletionTimestamp } }, { type: 'merge' })

  expect(before).toBe(true)
  expect(await areAllReady(cluster)).toBe(false)
})

function areAllReady({ api }: FakeCluster): Promise<boolean> {
  return areReady(api, { ...DEV, components: COMPONENT_NAMES, signal })
}

const MANAGED = 'app.kubernetes.io/managed-by=vplane'
const ANY = `${MANAGED},vplane.dev/name`

/** Looks at these planes among a hundred that do not exist. */
async function lookAtMany({ api }: FakeCluster, planes: readonly string[]) {
  const looks = new PlaneObserver()
  const selectors: Record<string, string | undefined> = {}
  const list = api.list.bind(api)
  api.list = (path, options) => {
    selectors[path.split('/').at(-1) ?? ''] = options?.labelSelector
    return list(path, options)
  }
  const names = [...planes, ...Array.from({ length: 100 }, (_, index) => `none-${index}`)]
  const found = await Promise.all(
    names.map((name) => looks.at(api, { name, namespace: 'team-a' }, signal)),
  )
  return { found: found.slice(0, planes.length), selectors }
}

async function clusterWith(planes: readonly string[], hooks: MemoryHostHooks = {}) {
  const cluster = new FakeCluster(hooks)
  for (const plane of planes) {
    const [namespace = '', name = ''] = plane.split('/')
    await cluster.create(name, { userSpec: EPHEMERAL, host: { namespace } })
  }
  cluster.api.requests.length = 0
  return cluster
}
