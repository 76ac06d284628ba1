import { hintTexts } from '../../../../../src/cli/catalog/hint-text.ts'
import { expect, test } from 'vitest'
import { podProblem } from '../../../../../src/drivers/kubernetes/diagnosis/pods/pod-problem.ts'
import { CONTEXT, eventWith, podWith, unscheduledPod } from '../some-pods.ts'

const CPU =
  '0/3 nodes are available: 3 Insufficient cpu. no new claims to deallocate, preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.'

test('reports in short why no node accepts a pod', () => {
  expect(podProblem(unscheduledPod(CPU), [], CONTEXT)).toMatchObject({
    state: 'Unschedulable',
    reason: 'no node accepts it: 0/3 nodes are available, 3 Insufficient cpu',
    hints: [
      { purpose: 'to request less', set: 'etcd.resources.requests.cpu=QUANTITY' },
      { purpose: 'or less of every resource', preset: 'nano' },
      'kubectl --context kind -n team-a describe pod vplane-dev-etcd-0',
    ],
    final: true,
    isCrowded: true,
  })
})

test.for([
  ['3 Insufficient memory', /etcd\.resources\.requests\.memory/],
  ["3 node(s) didn't match pod topology spread constraints", /etcd\.replicas=1/],
  ["1 node(s) didn't match Pod's node affinity/selector", /pods\.nodeSelector/],
  ["1 node(s) didn't match PersistentVolume's node affinity", /node of its volume.* get nodes/],
  ['1 node(s) had volume node affinity conflict', /node of its volume.* get nodes/],
  ['3 node(s) had untolerated taint {gpu: yes}', /pods\.tolerations/],
] as const)('gives a hint for: %s', ([why, hint]) => {
  const problem = podProblem(unscheduledPod(`0/3 nodes are available: ${why}.`), [], CONTEXT)

  expect(hintTexts(problem?.hints ?? []).join()).toMatch(hint)
  expect(problem?.reason).toBe(`no node accepts it: 0/3 nodes are available, ${why}`)
})

test.for([
  'no nodes available to schedule pods',
  '0/1 nodes are available: 1 node(s) had untolerated taint {node.kubernetes.io/not-ready: }.',
  '0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found',
  '0/1 nodes are available: persistentvolumeclaim "data-vplane-dev-etcd-0" not found.',
])('treats as transient: %s', (message) => {
  expect(podProblem(unscheduledPod(message), [], CONTEXT)).toMatchObject({ final: false })
})

test('waits for nodes of an autoscaler, and for evicted pods', () => {
  const scaled = podProblem(unscheduledPod(CPU), [eventWith('TriggeredScaleUp')], CONTEXT)
  const nominated = podProblem(unscheduledPod(CPU, { nominatedNodeName: 'node-1' }), [], CONTEXT)
  const refused = podProblem(unscheduledPod(CPU), [eventWith('NotTriggerScaleUp')], CONTEXT)

  expect([scaled?.final, nominated?.final, refused?.final]).toEqual([false, false, true])
})

test('marks a pod for a check of nodes when the host does not name their taints', () => {
  const message = '0/2 nodes are available: 2 node(s) had untolerated taint(s).'

  expect(podProblem(unscheduledPod(message), [], CONTEXT)).toMatchObject({ isTainted: true })
})

test('reports a scheduling gate', () => {
  const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }]
  const pod = podWith({ conditions })

  expect(podProblem(pod, [], CONTEXT)).toMatchObject({ state: 'SchedulingGated', final: false })
})
