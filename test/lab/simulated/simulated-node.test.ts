import { expect, test } from 'vitest'
import { ON_SIMULATED_NODES, simulatedNode, takesPods } from './simulated-node.ts'

const READY = { conditions: [{ type: 'Ready', status: 'True' }] }

test('has the labels that pods select it by, and a taint that these pods tolerate', () => {
  const node = simulatedNode('abc', 2)

  expect(node.metadata.name).toBe('simulated-abc-2')
  expect(node.metadata.labels).toMatchObject(ON_SIMULATED_NODES.nodeSelector)
  expect(node['spec']).toEqual({
    taints: [{ key: ON_SIMULATED_NODES.tolerations[0]?.key, effect: 'NoSchedule' }],
  })
})

test('takes pods when it is ready and everybody has noticed', () => {
  const node = simulatedNode('abc', 0)
  const notReady = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }
  const taints = [...ON_SIMULATED_NODES.tolerations, notReady]

  expect(takesPods(node)).toBe(false)
  expect(takesPods({ ...node, status: READY })).toBe(true)
  expect(takesPods({ ...node, status: READY, spec: { taints } })).toBe(false)
})
