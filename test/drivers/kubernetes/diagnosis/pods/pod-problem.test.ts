import { expect, test } from 'vitest'
import { claimProblem } from '../../../../../src/drivers/kubernetes/diagnosis/volumes/claim-problem.ts'
import { creationProblem } from '../../../../../src/drivers/kubernetes/diagnosis/creation-problem.ts'
import {
  endedProblem,
  podProblem,
  terminatingProblem,
} from '../../../../../src/drivers/kubernetes/diagnosis/pods/pod-problem.ts'
import { CONTEXT, eventWith, podWith, podWithContainer, waitingPod } from '../some-pods.ts'

const LAYERS =
  'failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: '

test.for([
  ['exec: "etcd": executable file not found in $PATH: unknown', 0, true],
  ['exec /usr/local/bin/etcd: exec format error', 0, true],
  ['error mounting "/x" to rootfs: device or resource busy', 0, false],
  ['error mounting "/x" to rootfs: device or resource busy', 1, true],
  ['failed to reserve container name "x": name "x" is reserved for "y"', 4, false],
  ['cannot start a container that has stopped', 1, false],
  ['openat2 /sys/fs/cgroup/x/cgroup.procs: no such file or directory', 1, false],
  ['context deadline exceeded', 5, true],
] as const)('reports why a container cannot start: %s (%i)', ([why, restartCount, final]) => {
  const state = { waiting: { reason: 'RunContainerError', message: LAYERS + why } }
  const problem = podProblem(podWithContainer({ state, restartCount }), [], CONTEXT)

  const reason = `container "etcd" cannot start: ${why.replace(': unknown', '')}`
  expect(problem).toMatchObject({ state: 'RunContainerError', reason, final })
})

test('waits for a Secret that may still be created', () => {
  const pod = waitingPod('CreateContainerConfigError', 'secret "pki" not found')

  expect(podProblem(pod, [], CONTEXT)).toMatchObject({
    final: false,
    waitsFor: '/api/v1/namespaces/team-a/secrets/pki',
  })
})

test('counts how often a container has ended', () => {
  const terminated = { exitCode: 2, reason: 'Error' }
  const first = podWithContainer({ state: { terminated }, restartCount: 0 })
  const again = podWithContainer({
    state: { waiting: { reason: 'CrashLoopBackOff' } },
    lastState: { terminated },
    restartCount: 3,
  })

  const crash = { container: 'etcd', times: 1, isKilled: false, isProbed: false }
  expect(podProblem(first, [], CONTEXT)?.crash).toEqual(crash)
  expect(podProblem(again, [], CONTEXT)?.crash).toEqual({ ...crash, times: 4 })
})

test.for([
  ['2026-01-01T00:09:59Z', 4],
  ['2026-01-01T00:10:00Z', 1],
] as const)('starts to count again after a run that worked: until %s', ([finishedAt, times]) => {
  const terminated = { exitCode: 1, reason: 'Error', startedAt: '2026-01-01T00:00:00Z', finishedAt }
  const pod = podWithContainer({ state: { terminated }, restartCount: 3 })

  expect(podProblem(pod, [], CONTEXT)?.crash?.times).toBe(times)
})

test.for([
  ['2025-12-31T23:50:00Z', 4],
  ['2025-12-31T23:00:00Z', 1],
] as const)(
  'counts ends only if they were in succession: of a pod since %s %i',
  ([startTime, times]) => {
    const terminated = {
      exitCode: 137,
      startedAt: '2026-01-01T00:00:00Z',
      finishedAt: '2026-01-01T00:00:05Z',
    }
    const containerStatuses = [{ name: 'etcd', state: { terminated }, restartCount: 3 }]

    expect(podProblem(podWith({ startTime, containerStatuses }), [], CONTEXT)?.crash?.times).toBe(
      times,
    )
  },
)

test.for([
  ['2026-01-01T00:00:05Z', 'etcd has ended with exit code 137', false],
  ['2026-01-01T00:00:20Z', 'etcd was killed: startup probe failed: refused', true],
] as const)(
  'says that a probe has killed a container only if it failed often enough: until %s',
  ([finishedAt, reason, isProbed]) => {
    const terminated = { exitCode: 137, startedAt: '2026-01-01T00:00:00Z', finishedAt }
    const pod = podWithContainer({ state: { terminated }, restartCount: 1 })
    const startupProbe = { failureThreshold: 20, periodSeconds: 1 }
    const spec = { containers: [{ name: 'etcd', startupProbe }] }
    const events = [eventWith('Unhealthy', 'Startup probe failed: refused')]

    expect(podProblem({ ...pod, spec }, events, CONTEXT)).toMatchObject({
      reason,
      crash: { isKilled: true, isProbed },
    })
  },
)

test('detects a container out of memory by its former end, which the host reports more often', () => {
  const pod = podWithContainer({
    state: { terminated: { exitCode: 137, reason: 'Error' } },
    lastState: { terminated: { exitCode: 137, reason: 'OOMKilled' } },
    restartCount: 1,
  })

  expect(podProblem(pod, [], CONTEXT)).toMatchObject({
    state: 'OOMKilled',
    reason: 'etcd needs more memory than its limit of 256Mi',
    hints: [{ set: 'etcd.resources.limits.memory=QUANTITY' }],
    final: true,
  })
})

test('reports nothing of containers that run or have succeeded', () => {
  const running = { name: 'etcd', state: { running: {} }, restartCount: 2 }
  const done = { name: 'init', state: { terminated: { exitCode: 0, reason: 'Completed' } } }
  const pod = podWith({ initContainerStatuses: [done], containerStatuses: [running] })

  expect(podProblem(pod, [], CONTEXT)).toBeUndefined()
})

test('reports nothing of a deleted pod, unless its node is gone', () => {
  const deletionTimestamp = '2026-01-01T00:00:00Z'
  const lost = { type: 'DisruptionTarget', status: 'True', reason: 'DeletionByTaintManager' }

  const pod = podWith({ conditions: [lost] }, { deletionTimestamp })

  expect(terminatingProblem(podWith({}, { deletionTimestamp }), CONTEXT)).toBeUndefined()
  expect(terminatingProblem(pod, CONTEXT)).toEqual({
    state: 'NodeNotReady',
    reason: 'its node "node-1" does not answer',
    hints: [
      'kubectl --context kind describe node node-1',
      'if it is down permanently, to move its pods to other nodes: kubectl --context kind taint nodes node-1 node.kubernetes.io/out-of-service=nodeshutdown:NoExecute',
    ],
    final: false,
  })
})

test('does not blame the node of a pod that waits for a readiness gate', () => {
  const conditions = [
    { type: 'Ready', status: 'False', reason: 'ReadinessGatesNotReady' },
    { type: 'ContainersReady', status: 'True' },
  ]

  expect(podProblem(podWith({ conditions }), [], CONTEXT)).toBeUndefined()
})

test.for([
  ['FailedMount', 2, false],
  ['FailedMount', 5, true],
  ['FailedAttachVolume', 50, false],
] as const)('gives volumes time: %s, %i times', ([reason, count, final]) => {
  const message = 'MountVolume.SetUp failed for volume "data" : rpc error: no such device'
  const note = eventWith(reason, message, { count })

  expect(podProblem(waitingPod('ContainerCreating'), [note], CONTEXT)).toMatchObject({
    state: reason,
    reason: 'volume "data" cannot be mounted: rpc error: no such device',
    final,
  })
})

test('does not count failures of an overloaded kubelet', () => {
  const volume = 'MountVolume.SetUp failed for volume "pki" : '
  const notes = [
    `${volume}secret "pki" not found`,
    `${volume}failed to sync secret cache: timed out waiting for the condition`,
    `${volume}object "team-a"/"pki" not registered`,
  ].map((message) => eventWith('FailedMount', message, { count: 5 }))
  const last = eventWith('FailedMount', `${volume}permission denied`, { count: 1 })

  const pod = waitingPod('ContainerCreating')
  expect(podProblem(pod, notes, CONTEXT)).toMatchObject({ final: false })
  expect(podProblem(pod, [...notes, last], CONTEXT)).toMatchObject({ final: false })
})

test('forgets volumes that could not be mounted once containers run', () => {
  const note = eventWith('FailedMount', 'x', { count: 9 })

  expect(podProblem(podWithContainer({ state: { running: {} } }), [note], CONTEXT)).toBeUndefined()
})

test.for([
  [2, false],
  [6, true],
] as const)('gives networks of nodes time: %i times', ([count, final]) => {
  const conditions = [{ type: 'PodReadyToStartContainers', status: 'False' }]
  const note = eventWith('FailedCreatePodSandBox', 'no addresses left', { series: { count } })

  expect(podProblem(podWith({ conditions }), [note], CONTEXT)).toMatchObject({
    reason: 'node "node-1" cannot give it a network: no addresses left',
    final,
  })
})

test('reports the third evicted pod as final, not the first', () => {
  const message = 'The node was low on resource: memory. '
  const pod = podWith({ phase: 'Failed', reason: 'Evicted', message })

  expect(endedProblem(pod, 1, CONTEXT)).toMatchObject({
    state: 'Evicted',
    reason: 'its node has ended pod "vplane-dev-etcd-0": The node was low on resource: memory',
    final: false,
  })
  expect(endedProblem(pod, 3, CONTEXT).final).toBe(true)
})

test('reports a lost volume, and allows provisioners to fail once', () => {
  const claim = (phase: string) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'data-0', uid: 'pod-uid' },
    spec: { storageClassName: 'fast' },
    status: { phase },
  })
  const failed = (count: number) => eventWith('ProvisioningFailed', 'quota of disks', { count })

  expect(claimProblem(claim('Lost'), [], CONTEXT)).toMatchObject({ state: 'Lost', final: true })
  expect(claimProblem(claim('Bound'), [failed(9)], CONTEXT)).toBeUndefined()
  expect(claimProblem(claim('Pending'), [], CONTEXT)).toBeUndefined()
  expect(claimProblem(claim('Pending'), [failed(1)], CONTEXT)).toMatchObject({
    reason: 'StorageClass "fast" cannot create volume "data-0": quota of disks',
    final: false,
  })
  expect(claimProblem(claim('Pending'), [failed(2)], CONTEXT)).toMatchObject({ final: true })
})

/** A StatefulSet whose pod does not exist. */
const maker = {
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'vplane-dev-etcd', uid: 'pod-uid' },
  spec: { replicas: 1 },
  status: { replicas: 0 },
}

test.for([
  ['failed calling webhook "w.example.com": Post "https://w": EOF', false],
  ['pvc data-vplane-dev-etcd-0 is being deleted', false],
  ['admission webhook "w.example.com" denied the request: the owner does not answer', true],
  ['exceeded quota: team, requested: pods=1, used: pods=3, limited: pods=3', true],
] as const)('knows which refusals of a pod may end on their own: %s', ([why, final]) => {
  const message = `create Pod vplane-dev-etcd-0 in StatefulSet vplane-dev-etcd failed error: ${why}`

  const problem = creationProblem(maker, [eventWith('FailedCreate', message)], CONTEXT)

  expect(problem).toMatchObject({ state: 'FailedCreate', final })
})

test('waits for the ServiceAccount of a new namespace', () => {
  const message =
    'create Pod vplane-dev-etcd-0 failed error: pods "vplane-dev-etcd-0" is forbidden: error looking up service account team-a/default: serviceaccount "default" not found'

  expect(creationProblem(maker, [eventWith('FailedCreate', message)], CONTEXT)).toBeUndefined()
})
