import { expect, test } from 'vitest'
import { COMPONENT_NAMES } from '../../../../src/control-plane/plane/plane.ts'
import { createPlane } from '../../../../src/drivers/kubernetes/lifecycle/create-plane.ts'
import { areReady, isAsWanted } from '../../../../src/drivers/kubernetes/observed/is-as-wanted.ts'
import {
  observePlane,
  PlaneObserver,
} from '../../../../src/drivers/kubernetes/observed/observed-plane.ts'
import { type MemoryHostHooks, refusal } from '../../../support/api/memory-host-api.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'
import { EPHEMERAL, FakeCluster, requestFor } from '../fake-cluster.ts'

const { signal } = new AbortController()

test('looks at many planes of one moment with as many requests as at one', async () => {
  const cluster = await clusterWith(['team-a/one', 'team-a/two', 'team-a/three'])
  const looks = new PlaneObserver()

  const found = await Promise.all(
    ['one', 'two', 'none'].map((name) =>
      looks.at(cluster.api, { name, namespace: 'team-a' }, signal),
    ),
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

test('looks again for whoever asks later', async () => {
  const cluster = await clusterWith(['team-a/one'])
  const looks = new PlaneObserver()
  const at = () => looks.at(cluster.api, { name: 'one', namespace: 'team-a' }, signal)

  const [before] = (await at()).pods('etcd')
  cluster.api.remove('/api/v1/namespaces/team-a/pods/vplane-one-etcd-0')
  const after = (await at()).pods('etcd')

  expect(before).toBeDefined()
  expect(after).not.toContainEqual(before)
})

test('tells planes of one name in many namespaces apart, with few requests', async () => {
  const places = ['a', 'b', 'c', 'd'].map((namespace) => ({ name: 'dev', namespace }))
  const cluster = await clusterWith(places.map(({ namespace }) => `${namespace}/dev`))
  const looks = new PlaneObserver()

  const found = await Promise.all(places.map((place) => looks.at(cluster.api, place, signal)))

  expect(cluster.api.requests).toHaveLength(4)
  expect(found.map(({ stored }) => stored?.namespace)).toEqual(['a', 'b', 'c', 'd'])
})

test('looks into one namespace after the other where it may not look into all', async () => {
  const places = ['a', 'b', 'c', 'd'].map((namespace) => ({ name: 'dev', namespace }))
  const cluster = await clusterWith(
    places.map(({ namespace }) => `${namespace}/dev`),
    {
      onRequest: ({ path, verb }) => {
        if (verb === 'list' && !path.includes('/namespaces/')) {
          throw refusal(403, 'forbidden')
        }
      },
    },
  )
  const looks = new PlaneObserver()

  const found = await Promise.all(places.map((place) => looks.at(cluster.api, place, signal)))

  expect(found.map(({ stored }) => stored?.namespace)).toEqual(['a', 'b', 'c', 'd'])
})

test('tells everybody who asked that the host does not answer', async () => {
  const cluster = new FakeCluster({
    onRequest: () => {
      throw refusal(503, 'not now')
    },
  })
  const looks = new PlaneObserver()
  const at = (name: string) => looks.at(cluster.api, { name, namespace: 'team-a' }, signal)

  const errors = await Promise.all([rejectionOf(at('one')), rejectionOf(at('two'))])

  expect(errors.map(({ code }) => code)).toEqual(['UNREACHABLE', 'UNREACHABLE'])
})

test('finds a plane as it is wanted only with all workloads, their pods and their replicas', async () => {
  const cluster = await clusterWith(['team-a/dev'])
  const place = { name: 'dev', namespace: 'team-a' }
  const path = '/apis/apps/v1/namespaces/team-a/deployments/vplane-dev-kube-apiserver'
  const record = await recordOf(cluster)
  const look = () => observePlane(cluster.api, place, signal)

  const fine = isAsWanted(record, await look())
  await cluster.api.patch(path, { spec: { replicas: 2 } }, { type: 'merge' })
  const scaled = isAsWanted(record, await look())
  await cluster.api.patch(path, { spec: { replicas: 1 } }, { type: 'merge' })
  cluster.api.remove('/api/v1/namespaces/team-a/pods/vplane-dev-kube-apiserver-0')
  const isReadyWithout = await areReady(cluster.api, {
    ...place,
    components: COMPONENT_NAMES,
    signal,
  })
  const without = isAsWanted(record, await look())

  expect([fine, scaled, without, isReadyWithout]).toEqual([true, false, false, false])
})

test('takes a pod that is about to end for gone', async () => {
  const cluster = await clusterWith(['team-a/dev'])
  const place = { name: 'dev', namespace: 'team-a' }
  const path = '/api/v1/namespaces/team-a/pods/vplane-dev-etcd-0'
  const before = await areReady(cluster.api, { ...place, components: COMPONENT_NAMES, signal })

  const deletionTimestamp = '2026-06-01T12:00:00Z'
  await cluster.api.patch(path, { metadata: { deletionTimestamp } }, { type: 'merge' })

  expect(before).toBe(true)
  expect(await areReady(cluster.api, { ...place, components: COMPONENT_NAMES, signal })).toBe(false)
})

async function clusterWith(planes: readonly string[], hooks: MemoryHostHooks = {}) {
  const cluster = new FakeCluster(hooks)
  for (const plane of planes) {
    const [namespace = '', name = ''] = plane.split('/')
    const request = requestFor(name, { userSpec: EPHEMERAL, host: { namespace } })
    await createPlane(cluster.driverContext(), request, cluster.operation())
  }
  cluster.api.requests.length = 0
  return cluster
}

async function recordOf(cluster: FakeCluster) {
  const { record } = await createPlane(
    cluster.driverContext(),
    requestFor('dev', { userSpec: EPHEMERAL }),
    cluster.operation(),
  )
  return record
}
