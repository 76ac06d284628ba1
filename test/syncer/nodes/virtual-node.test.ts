import { expect, test } from 'vitest'
import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'
import { ObjectCache } from '../../../src/kube/cache/object-cache.ts'
import { cachedNode, cordonedNodes } from '../../../src/syncer/nodes/virtual-node.ts'
import { onCordon, virtualNode } from '../../../src/syncer/nodes/virtual-node.ts'
import { NODE_SETTINGS } from './some-nodes.ts'

const NOW = new Date('2026-06-01T12:00:00Z')
const CONDITIONS = [
  { type: 'MemoryPressure', status: 'True' },
  { type: 'Ready', status: 'False', reason: 'KubeletNotReady' },
]
const HOST: KubeObject = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name: 'worker-7',
    uid: 'host-7',
    labels: { 'kubernetes.io/hostname': 'worker-7.example.com', zone: 'a' },
    annotations: { 'example.com/secret': 'x' },
  },
  spec: {
    unschedulable: true,
    podCIDR: '10.244.1.0/24',
    providerID: 'example://7',
    taints: [
      { key: 'dedicated', value: 'gpu', effect: 'NoSchedule' },
      { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' },
    ],
  },
  status: {
    allocatable: { cpu: '3' },
    capacity: { cpu: '4' },
    conditions: CONDITIONS,
    addresses: [
      { type: 'InternalIP', address: '10.0.0.7' },
      { type: 'ExternalIP', address: '192.0.2.7' },
      { type: 'Hostname', address: 'worker-7' },
    ],
    daemonEndpoints: { kubeletEndpoint: { Port: 1 } },
    declaredFeatures: ['Everything'],
    images: [{ names: ['one'] }],
    nodeInfo: { kubeletVersion: 'v1.30.0', kernelVersion: '6.1', architecture: 'arm64', swap: {} },
  },
}

test.for([
  ['host', HOST, false],
  ['virtual', HOST, true],
  ['virtual', { ...HOST, spec: {} }, false],
] as const)(
  'tells the scheduler of a plane alone that a host node is cordoned: %s',
  ([scheduler, host, expected]) => {
    const settings = { ...NODE_SETTINGS, scheduler }
    const { spec } = virtualNode('worker-7', settings, { host: cachedNode(host), now: NOW })

    const isPublished = spec.taints?.some(({ key }) => key === 'vplane.dev/host-unschedulable')
    expect(isPublished ?? false).toBe(expected)
    expect(spec).not.toHaveProperty('unschedulable')
  },
)

test('shows of a host node what holds for its virtual node as well', () => {
  expect(virtualNode('worker-7', NODE_SETTINGS, { host: HOST, now: NOW })).toEqual({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: 'worker-7',
      labels: { ...HOST.metadata.labels, 'vplane.dev/virtual': 'true' },
      annotations: {
        'vplane.dev/labels': 'kubernetes.io/hostname vplane.dev/virtual zone',
        'vplane.dev/taints': 'dedicated:NoSchedule',
      },
    },
    spec: { taints: [{ key: 'dedicated', value: 'gpu', effect: 'NoSchedule' }] },
    status: {
      allocatable: { cpu: '3' },
      capacity: { cpu: '4' },
      conditions: CONDITIONS,
      addresses: [
        { type: 'Hostname', address: 'syncer.team-a.svc' },
        { type: 'InternalIP', address: '10.0.0.7' },
      ],
      daemonEndpoints: { kubeletEndpoint: { Port: 10_300 } },
      nodeInfo: { kubeletVersion: 'v1.36.3', kernelVersion: '6.1', architecture: 'arm64' },
    },
  })
})

test('keeps of a host node what is shown', () => {
  const kept = cachedNode(HOST)

  expect(JSON.stringify(kept)).not.toMatch(/images|secret|podCIDR|declaredFeatures/)
  expect(virtualNode('worker-7', NODE_SETTINGS, { host: kept, now: NOW })).toEqual(
    virtualNode('worker-7', NODE_SETTINGS, { host: HOST, now: NOW }),
  )
})

const VIRTUAL = { 'vplane.dev/virtual': 'true' }
const CORDONED = { unschedulable: true }

const node = (name: string, spec: object, labels: Record<string, string> = VIRTUAL) => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels },
  spec,
})

test('knows the cordoned nodes, and calls the listener when they change', async () => {
  const watch = async function* () {
    yield { type: 'ADDED' as const, object: node('b', CORDONED) }
    yield { type: 'ADDED' as const, object: node('a', {}) }
    yield { type: 'MODIFIED' as const, object: node('a', CORDONED) }
    yield { type: 'MODIFIED' as const, object: node('a', { ...CORDONED, taints: [] }) }
    yield { type: 'ADDED' as const, object: node('not-ours', CORDONED, {}) }
    yield { type: 'DELETED' as const, object: node('b', CORDONED) }
  }
  const nodes = { virtual: new ObjectCache({ watch }, '/api/v1/nodes') }
  const seen: string[][] = []
  onCordon(nodes, () => seen.push(cordonedNodes(nodes)))

  await nodes.virtual.run(AbortSignal.timeout(5000)).catch(() => {})

  expect(seen).toEqual([['b'], ['a', 'b'], ['a']])
})
