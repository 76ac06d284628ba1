import { expect, test } from 'vitest'
import { ObjectCache } from '../../../src/syncer/engine/object-cache.ts'
import { cordonedNodes, onCordon } from '../../../src/syncer/nodes/cordoned-nodes.ts'

const VIRTUAL = { 'vplane.dev/virtual': 'true' }
const CORDONED = { unschedulable: true }

const node = (name: string, spec: object, labels: Record<string, string> = VIRTUAL) => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels },
  spec,
})

test('knows the nodes that are cordoned, and tells when there are others', async () => {
  const watch = async function* () {
    yield { type: 'ADDED' as const, object: node('b', CORDONED) }
    yield { type: 'ADDED' as const, object: node('a', {}) }
    yield { type: 'MODIFIED' as const, object: node('a', CORDONED) }
    yield { type: 'MODIFIED' as const, object: node('a', { ...CORDONED, taints: [] }) }
    yield { type: 'ADDED' as const, object: node('not-ours', CORDONED, {}) }
    yield { type: 'DELETED' as const, object: node('b', CORDONED) }
  }
  const nodes = { virtual: new ObjectCache({ watch }, '/api/v1/nodes') }
  const told: string[][] = []
  onCordon(nodes, () => told.push(cordonedNodes(nodes)))

  await nodes.virtual.run(AbortSignal.timeout(5000)).catch(() => {})

  expect(told).toEqual([['b'], ['a', 'b'], ['a']])
})
