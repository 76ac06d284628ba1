import { expect, test } from 'vitest'
import { toApiServerPod } from '../../../../src/drivers/kubernetes/dial/known-pods.ts'
import type { KubeObject } from '../../../../src/shared/kube/kube-object.ts'

const RUNNING = [{ name: 'kube-apiserver', state: { running: { startedAt: 'now' } } }]
const READY = [{ type: 'Ready', status: 'True' }]

test.for([
  [
    'runs and is ready',
    { phase: 'Running', conditions: READY, containerStatuses: RUNNING },
    'both',
  ],
  [
    'runs and is not ready yet',
    {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'False' }],
      containerStatuses: RUNNING,
    },
    'runs',
  ],
  [
    'waits for its next start after a crash',
    { phase: 'Running', containerStatuses: [{ state: { waiting: { reason: 'x' } } }] },
    'none',
  ],
  ['is not scheduled yet', { phase: 'Pending' }, 'none'],
  ['has failed', { phase: 'Failed', conditions: [], containerStatuses: [] }, 'none'],
  ['says nothing of itself', undefined, 'none'],
] as const)('reads a pod that %s', ([, status, expected]) => {
  expect(stateOf(toApiServerPod(podWith({}, status)))).toBe(expected)
})

test('treats a pod that is being deleted as neither ready nor running', () => {
  const status = { phase: 'Running', conditions: READY, containerStatuses: RUNNING }
  const ending = podWith({ deletionTimestamp: '2026-01-01T00:00:00Z' }, status)

  expect(stateOf(toApiServerPod(ending))).toBe('none')
})

function podWith(metadata: object, status: unknown): KubeObject {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', uid: '1', ...metadata }, status }
}

function stateOf({ isReady, isRunning }: { isReady: boolean; isRunning: boolean }) {
  return isReady && isRunning ? 'both' : isRunning ? 'runs' : isReady ? 'ready' : 'none'
}
