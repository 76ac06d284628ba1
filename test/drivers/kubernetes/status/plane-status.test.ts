import { expect, test } from 'vitest'
import type { UserSpec } from '../../../../src/control-plane/spec/spec.ts'
import type { ComponentProblem } from '../../../../src/drivers/kubernetes/context/problem.ts'
import { observePlane } from '../../../../src/drivers/kubernetes/observed/observed-plane.ts'
import { planeStatus } from '../../../../src/drivers/kubernetes/status/plane-status.ts'
import type { PlaneRecord } from '../../../../src/drivers/kubernetes/record/plane-record.ts'
import { FakeCluster } from '../fake-cluster.ts'
import { problemOf } from '../problem-of.ts'

const PLACE = { name: 'dev', namespace: 'team-a' }
const APPS = '/apis/apps/v1/namespaces/team-a'
const ETCD = `${APPS}/statefulsets/vplane-dev-etcd`
const MANAGER = `${APPS}/deployments/vplane-dev-kube-controller-manager`
const API_SERVER = `${APPS}/deployments/vplane-dev-kube-apiserver`
const STEP = { step: 'changing etcd', at: '2026-06-01T12:00:00Z', holder: 'me' }

test('is ready when every component has a pod that is', async () => {
  const { status } = await madePlane()

  expect(await status()).toEqual({
    phase: 'Ready',
    certificatesExpireAt: expect.any(Date),
    components: [
      {
        name: 'etcd',
        state: 'running',
        instance: 'vplane-dev-etcd-0',
        startedAt: new Date('2026-06-01T12:00:00Z'),
        address: '10.244.0.7:2379',
        replicas: { wanted: 1, ready: 1 },
        image: 'registry.k8s.io/etcd:3.6.16-0',
      },
      expect.objectContaining({ name: 'kube-apiserver', address: '10.244.0.7:6443' }),
      expect.objectContaining({ name: 'kube-controller-manager', state: 'running' }),
    ],
  })
})

test('starts while its pods are young and not ready, and is not ready when they are not', async () => {
  const { cluster, status } = await madePlane({ arePodsReady: false })

  const young = await status()
  cluster.time = new Date('2026-06-01T12:02:00Z')
  const old = await status()

  expect(young).toMatchObject({ phase: 'Starting', reason: 'etcd is not ready yet' })
  expect(old).toMatchObject({ phase: 'NotReady', reason: 'etcd is not ready yet' })
  expect(old.components.map(({ state }) => state)).toEqual(['starting', 'starting', 'starting'])
})

test('says why a component cannot run, and whether that passes by itself', async () => {
  const { status } = await madePlane({ arePodsReady: false })
  const problem = problemOf('kube-apiserver', { hints: ['look at the registry'] })

  const passing = await status({}, [{ ...problem, final: false }])
  const final = await status({}, [problem])

  const { reason } = problem
  expect(passing.components[1]).toMatchObject({ state: 'starting', reason })
  expect(final).toMatchObject({
    phase: 'NotReady',
    reason: 'kube-apiserver: its image cannot be had',
    hints: ['look at the registry'],
  })
  expect(final.components[1]?.state).toBe('failed')
})

test.for([
  ['scaled it to 0', 0, 'someone scaled it to 0'],
  ['deleted it', undefined, 'its workload is missing'],
] as const)(
  'says of a component that someone %s that it has failed',
  async ([, replicas, reason]) => {
    const { cluster, status } = await madePlane()
    if (replicas === undefined) {
      cluster.api.remove(API_SERVER)
    } else {
      await cluster.api.patch(API_SERVER, { spec: { replicas } }, { type: 'merge' })
    }

    const { components, phase, reason: why } = await status()

    expect(phase).toBe('NotReady')
    expect(why).toBe(`kube-apiserver: ${reason}`)
    expect(components[1]).toMatchObject({ state: 'failed', reason })
  },
)

test('is stopped, not broken, when nothing of it runs', async () => {
  const { status, stop } = await madePlane()
  await stop()

  const { components, ...said } = await status()

  expect(said).toMatchObject({
    phase: 'Stopped',
    reason: 'any use of its context starts it',
    hints: [{ action: 'resume', plane: { name: 'dev' } }],
  })
  expect(components.map(({ state }) => state)).toEqual(['stopped', 'stopped', 'stopped'])
  expect(components.every((component) => component.reason === undefined)).toBe(true)
})

test('is Paused only when none of its components runs', async () => {
  const { status, stop } = await madePlane()

  const running = await status({ desired: 'paused' })
  await stop()
  const resting = await status({ desired: 'paused' })

  expect(running).toMatchObject({
    phase: 'NotReady',
    reason: 'it is to be paused, and components still run',
  })
  expect(resting.phase).toBe('Paused')
  expect(resting.components.map(({ state }) => state)).toEqual(['stopped', 'stopped', 'stopped'])
})

test('is Paused while etcd runs if it is ephemeral: its data would be lost with the pod', async () => {
  const { record, status, stop } = await madePlane()
  await stop(MANAGER, API_SERVER)

  const spec = { ...record.spec, ephemeral: true }
  const { components, phase } = await status({ desired: 'paused', spec })

  expect(phase).toBe('Paused')
  expect(components.map(({ state }) => state)).toEqual(['running', 'stopped', 'stopped'])
})

test('is being made until all of it was applied', async () => {
  const { status } = await madePlane()

  expect(await status({ isComplete: false })).toMatchObject({
    phase: 'Creating',
    reason: 'not finished yet',
    hints: [{ purpose: 'to continue', action: 'create', plane: { name: 'dev' } }],
  })
})

test('says that it is half deleted', async () => {
  const { status } = await madePlane()

  expect(await status({ journal: { ...STEP, operation: 'remove' } })).toMatchObject({
    phase: 'NotReady',
    reason: 'half deleted',
    hints: [{ purpose: 'to continue', action: 'delete', plane: { name: 'dev' } }],
  })
})

test('takes a component for running while more than half of its pods are ready', async () => {
  const { cluster, status } = await madePlane({ userSpec: { etcd: { replicas: 3 } } })
  const statusWithout = async (ordinal: number) => {
    const path = `/api/v1/namespaces/team-a/pods/vplane-dev-etcd-${ordinal}`
    const conditions = [{ type: 'Ready', status: 'False' }]
    await cluster.api.patch(path, { status: { conditions } }, { type: 'merge' })
    return (await status()).components[0]
  }

  const two = await statusWithout(2)
  const one = await statusWithout(1)

  expect(two).toMatchObject({ state: 'running', replicas: { wanted: 3, ready: 2 } })
  expect(one).toMatchObject({ state: 'starting', replicas: { wanted: 3, ready: 1 } })
})

test('is not ready when someone took one of two pods away, whatever the workload wants', async () => {
  const { cluster, status } = await madePlane({ userSpec: { apiServer: { replicas: 2 } } })
  await cluster.api.patch(API_SERVER, { spec: { replicas: 1 } }, { type: 'merge' })
  cluster.time = new Date('2026-06-01T12:02:00Z')

  const { components, phase, reason } = await status()
  const changing = await status({ journal: { ...STEP, operation: 'change' } })

  expect([phase, reason]).toEqual(['NotReady', 'kube-apiserver: someone scaled it to 1'])
  expect(components[1]).toMatchObject({ state: 'starting', replicas: { wanted: 2, ready: 1 } })
  expect(changing.phase).toBe('Ready')
})

test('is not ready while the host has not seen a change, or has old pods of it to replace', async () => {
  const { cluster, status } = await madePlane()
  cluster.time = new Date('2026-06-01T12:02:00Z')
  const said = async (path: string, change: object) => {
    const workload = cluster.api.objects.get(path)
    expect.assert(workload !== undefined)
    const changed = { ...workload, status: { ...Object(workload['status']), ...change } }
    cluster.api.objects.set(path, changed)
    const { phase, reason } = await status()
    cluster.api.objects.set(path, workload)
    return [phase, reason]
  }

  expect(await said(ETCD, { observedGeneration: 0 })).toEqual([
    'NotReady',
    'etcd: the host has not seen its last change yet',
  ])
  expect(await said(API_SERVER, { replicas: 2, updatedReplicas: 1 })).toEqual([
    'NotReady',
    'kube-apiserver: 1 of its pods are to be replaced',
  ])
  expect(await said(ETCD, { updatedReplicas: 0 })).toEqual(['Ready', undefined])
})

test.for([
  ['has not been ready', '2026-06-01T12:00:00Z', 'Starting'],
  ['was ready, and stopped passing its probes', '2026-06-01T12:00:20Z', 'NotReady'],
] as const)('a new pod that %s', async ([, lastTransitionTime, phase]) => {
  const { cluster, status } = await madePlane()
  const path = '/api/v1/namespaces/team-a/pods/vplane-dev-kube-apiserver-0'
  const conditions = [{ type: 'Ready', status: 'False', lastTransitionTime }]
  await cluster.api.patch(path, { status: { conditions } }, { type: 'merge' })
  cluster.time = new Date('2026-06-01T12:00:30Z')

  expect((await status()).phase).toBe(phase)
})

test.for([
  [true, { phase: 'Ready' }],
  [false, { phase: 'NotReady', reason: 'syncer: its image cannot be had' }],
] as const)('knows the syncer of a plane that runs pods, ready %s', async ([isReady, phase]) => {
  const cluster = new FakeCluster()
  const { record } = await cluster.storeSynced('dev')
  if (!isReady) {
    cluster.api.remove('/api/v1/namespaces/team-a/pods/vplane-dev-syncer-0')
  }
  const observed = await observePlane(cluster.api, PLACE, cluster.operation().signal)
  const problems = [problemOf('syncer')]

  const status = planeStatus(record, { observed, problems, now: cluster.time })

  expect(status).toMatchObject(phase)
  expect(status.components.at(-1)).toMatchObject({
    name: 'syncer',
    state: isReady ? 'running' : 'failed',
    replicas: { wanted: 1, ready: isReady ? 1 : 0 },
  })
})

interface Given {
  arePodsReady?: boolean
  userSpec?: UserSpec
}

async function madePlane({ arePodsReady = true, userSpec = {} }: Given = {}) {
  const cluster = new FakeCluster()
  cluster.arePodsReady = arePodsReady
  const { record } = await cluster.create('dev', { userSpec })
  const { signal } = cluster.operation()
  return {
    cluster,
    record,
    /** Scales some workloads to 0. @default all of them */
    stop: async (...some: string[]) => {
      for (const path of some.length > 0 ? some : [ETCD, API_SERVER, MANAGER]) {
        await cluster.api.patch(path, { spec: { replicas: 0 } }, { type: 'merge' })
      }
    },
    status: async (fields: Partial<PlaneRecord> = {}, problems: ComponentProblem[] = []) => {
      const observed = await observePlane(cluster.api, PLACE, signal)
      return planeStatus({ ...record, ...fields }, { observed, problems, now: cluster.time })
    },
  }
}
