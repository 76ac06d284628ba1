import { expect, test } from 'vitest'
import {
  areMembersReady,
  isRolled,
  restoredPods,
  stalePods,
} from '../../../../src/drivers/kubernetes/observed/is-rolled.ts'
import type { KubeObject } from '../../../../src/shared/kube/kube-object.ts'
import { objectOf } from '../fake-cluster.ts'

const DONE = { observedGeneration: 3, replicas: 2, updatedReplicas: 2, readyReplicas: 2 }

test.for([
  ['all pods are new and ready', 2, DONE, true],
  ['the host has not looked at it', 2, { ...DONE, observedGeneration: 2 }, false],
  ['the host has never looked at it', 2, {}, false],
  ['a pod of before is left', 2, { ...DONE, replicas: 3 }, false],
  ['a pod is of before', 2, { ...DONE, updatedReplicas: 1 }, false],
  ['a pod is not ready', 2, { ...DONE, readyReplicas: 1 }, false],
  ['there is none, and none is wanted', 0, { observedGeneration: 3, replicas: 0 }, false],
] as const)('tells whether a Deployment is rolled when %s', ([, replicas, status, expected]) => {
  expect(isRolled(workload(replicas, status))).toBe(expected)
})

test.for([
  ['all are new and ready', 2, ['new', 'new'], true],
  ['one is of before', 2, ['new', 'old'], false],
  ['one is missing', 2, ['new'], false],
  ['one too many is left', 1, ['new', 'new'], false],
  ['there are none', 0, [], false],
] as const)('tells whether members are ready when %s', ([, replicas, revisions, expected]) => {
  const statefulSet = workload(replicas, { observedGeneration: 3, updateRevision: 'new' })

  expect(areMembersReady(statefulSet, revisions.map(pod))).toBe(expected)
})

test('takes pods that a restore has made for such of the template that it left, and of no other', () => {
  const left = workload(2, { observedGeneration: 3, updateRevision: 'plain' })
  const changed = workload(2, { observedGeneration: 4, updateRevision: 'changed' })
  const pods = ['restoring', 'plain'].map(pod)

  const restored = restoredPods(left, pods)

  expect(restored).toEqual({ made: 'restoring', like: 'plain' })
  expect(restoredPods(left, [pod('plain')])).toBeUndefined()
  expect(stalePods(left, pods, restored)).toEqual([])
  expect(stalePods(left, pods)).toHaveLength(1)
  expect(stalePods(changed, pods, restored)).toHaveLength(2)
  expect(areMembersReady(left, pods, restored)).toBe(true)
})

function workload(replicas: number, status: object): KubeObject {
  return { ...objectOf('Deployment', { name: 'x', generation: 3 }), spec: { replicas }, status }
}

function pod(revision: string): KubeObject {
  const metadata = { labels: { 'controller-revision-hash': revision } }
  const status = { conditions: [{ type: 'Ready', status: 'True' }] }
  return { ...objectOf('Pod', metadata), status }
}
