import { expect, test } from 'vitest'
import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'
import { markedNode, withNodeMarks } from '../../../src/syncer/nodes/node-marks.ts'

const GPU = { key: 'gpu', effect: 'NoSchedule' }
const OLD = { key: 'old', effect: 'NoExecute' }
const MINE = { key: 'mine', value: 'yes', effect: 'NoSchedule' }
const CORDON = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }

const wanted = (labels: Record<string, string>, taints: object[]): KubeObject =>
  withNodeMarks({ apiVersion: 'v1', kind: 'Node', metadata: { labels }, spec: { taints } })

/** The node that was made as wanted, with what others have given it since. */
const knownNode = (labels = {}, taints: object[] = []): KubeObject => {
  const made = wanted({ zone: 'a', rack: '1' }, [GPU, OLD])
  return {
    ...made,
    metadata: {
      ...made.metadata,
      labels: { ...made.metadata.labels, ...labels },
      annotations: { ...made.metadata.annotations, note: 'x' },
    },
    spec: { unschedulable: true, taints: [...taints, OLD, GPU] },
  }
}

test('takes away what the host no longer has, and leaves what others gave', () => {
  const known = knownNode({ team: 'a' }, [CORDON, MINE])

  expect(markedNode(known, wanted({ zone: 'b' }, [{ ...GPU, value: 'big' }]))).toEqual({
    ...known,
    metadata: {
      labels: { team: 'a', zone: 'b' },
      annotations: {
        note: 'x',
        'vplane.dev/labels': 'zone',
        'vplane.dev/taints': 'gpu:NoSchedule',
      },
    },
    spec: { unschedulable: true, taints: [CORDON, MINE, { ...GPU, value: 'big' }] },
  })
})

test('has nothing to change where all is as wanted, in any order', () => {
  const known = knownNode({ team: 'a' }, [CORDON])

  expect(markedNode(known, wanted({ zone: 'a', rack: '1' }, [GPU, OLD]))).toBeUndefined()
})

test.for([
  ['a label', { zone: 'other' }, []],
  ['a taint', {}, [{ ...OLD, effect: 'NoSchedule' }]],
] as const)('puts back %s that someone changed', ([what, labels, taints]) => {
  const known = knownNode(labels)
  const spec = what === 'a taint' ? { taints: [...taints, GPU] } : known['spec']

  expect(
    markedNode({ ...known, spec }, wanted({ zone: 'a', rack: '1' }, [GPU, OLD])),
  ).toMatchObject({
    metadata: { labels: { zone: 'a' } },
    spec: { taints: expect.arrayContaining([OLD, GPU]) },
  })
})
