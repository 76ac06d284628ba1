import { expect, test } from 'vitest'
import { toApiServerPod } from '../../../../src/drivers/kubernetes/dial/known-pods.ts'

const ENDING = { deletionTimestamp: '2026-01-01T00:00:00Z' }
const RUNNING = {
  phase: 'Running',
  containerStatuses: [{ name: 'kube-apiserver', state: { running: { startedAt: 'now' } } }],
}
const READY = { ...RUNNING, conditions: [{ type: 'Ready', status: 'True' }] }
const UNREADY = { ...RUNNING, conditions: [{ type: 'Ready', status: 'False' }] }
const CRASHED = { phase: 'Running', containerStatuses: [{ state: { waiting: { reason: 'x' } } }] }

test.for<[string, object | undefined, string, object?]>([
  ['runs and is ready', READY, 'both'],
  ['runs and is not ready yet', UNREADY, 'runs'],
  ['waits for its next start after a crash', CRASHED, 'none'],
  ['is not scheduled yet', { phase: 'Pending' }, 'none'],
  ['has failed', { phase: 'Failed', conditions: [], containerStatuses: [] }, 'none'],
  ['says nothing of itself', undefined, 'none'],
  ['is ready, but being deleted', READY, 'none', ENDING],
])('reads a pod that %s', ([, status, expected, more]) => {
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', uid: '1', ...more }, status }

  expect(stateOf(toApiServerPod(pod))).toBe(expected)
})

function stateOf({ isReady, isRunning }: { isReady: boolean; isRunning: boolean }) {
  return isReady && isRunning ? 'both' : isRunning ? 'runs' : isReady ? 'ready' : 'none'
}
