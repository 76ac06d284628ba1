import { expect, test } from 'vitest'
import { type Json, recordsAt } from '../../../src/shared/json-fields.ts'
import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'
import { syncNode } from '../../../src/syncer/nodes/sync-node.ts'
import { virtualNode } from '../../../src/syncer/nodes/virtual-node.ts'
import { refusal } from '../../support/api/memory-host-api.ts'
import { virtualObject } from '../translate/some-objects.ts'
import { NODE_SETTINGS } from './some-nodes.ts'

const STATUS_PATH = '/api/v1/nodes/worker-7/status'
const MADE = new Date('2026-06-01T12:00:00Z')
const NOW = new Date('2026-06-01T13:00:00Z')

/** The node as it was made, with what became of it. */
function nodeWith({ labels = {}, spec = {}, status = {} } = {}): KubeObject {
  const made = virtualNode('worker-7', NODE_SETTINGS, { now: MADE })
  return {
    ...made,
    metadata: { ...made.metadata, uid: 'n-1', labels: { ...made.metadata.labels, ...labels } },
    spec,
    status: { ...made.status, ...status },
  }
}

function addressesOf(node: KubeObject): Json[] {
  return recordsAt(node, 'status', 'addresses')
}

/** What is written about a node. */
async function synced(
  known: KubeObject | undefined,
  {
    host,
    hostPods = [],
    refuses = () => {},
  }: { host?: () => KubeObject | undefined; hostPods?: KubeObject[]; refuses?: () => void } = {},
) {
  const done: unknown[] = []
  const plane = {
    replace: async (path: string, object: KubeObject) => {
      refuses()
      done.push([path, object])
      return object
    },
  }
  await syncNode(
    {
      plane,
      nodes: { virtual: { get: () => known }, ...(host && { host: { get: host } }) },
      pods: { host: { values: () => hostPods.values() } },
      nodeSettings: NODE_SETTINGS,
      now: () => NOW,
    },
    '/worker-7',
    AbortSignal.timeout(5000),
  )
  return done
}

test('leaves a node alone that is as it is to be', async () => {
  const known = nodeWith({ labels: { team: 'a' }, spec: { unschedulable: true } })

  expect(await synced(known)).toEqual([])
  expect(await synced(undefined)).toEqual([])
})

test("shows the node's address, which its pods on the host have", async () => {
  const podAt = (nodeName: string, status: object) =>
    virtualObject('Pod', { spec: { nodeName }, status })
  const shown = { type: 'InternalIP', address: '192.0.2.7' }
  const [hostname = {}] = addressesOf(nodeWith())
  const hostPods = [
    podAt('worker-8', { hostIP: '192.0.2.8' }),
    podAt('worker-7', {}),
    podAt('worker-7', { hostIP: shown.address }),
  ]

  const [written] = await synced(nodeWith(), { hostPods })

  expect(addressesOf(Object(written)[1])).toEqual([hostname, shown])
  const known = nodeWith({ status: { addresses: [hostname, shown] } })
  expect(await synced(known)).toEqual([])
})

test('leaves a node alone that is not of the syncer', async () => {
  const known = nodeWith({ status: { conditions: [] } })

  expect(await synced({ ...known, metadata: { ...known.metadata, labels: {} } })).toEqual([])
})

test('brings labels back, and keeps those of others', async () => {
  const known = nodeWith({ labels: { team: 'a', 'kubernetes.io/os': 'other' } })
  const labels = { team: 'a', 'kubernetes.io/os': 'linux' }

  expect(await synced(known)).toMatchObject([
    ['/api/v1/nodes/worker-7', { metadata: { uid: 'n-1', labels } }],
  ])
})

test('points a node of an earlier syncer to where this one is', async () => {
  const endpointsAt = (Port: number) => ({ daemonEndpoints: { kubeletEndpoint: { Port } } })

  expect(await synced(nodeWith({ status: endpointsAt(1) }))).toMatchObject([
    [STATUS_PATH, { spec: {}, status: endpointsAt(10_300) }],
  ])
})

test('says that a node is ready again that had not been heard of', async () => {
  const made = virtualNode('worker-7', NODE_SETTINGS, { now: MADE })
  const conditions = [Object(made.status)['conditions']].flat()
  const ready = { ...conditions.at(-1), status: 'Unknown', reason: 'NodeStatusUnknown' }

  const others = conditions.slice(0, -1)

  const written = await synced(nodeWith({ status: { conditions: [...others, ready] } }))

  const since = { lastTransitionTime: '2026-06-01T13:00:00Z' }
  const again = expect.objectContaining({ type: 'Ready', status: 'True', ...since })
  const status = expect.objectContaining({ conditions: [...others, again] })
  expect(written).toEqual([[STATUS_PATH, expect.objectContaining({ status })]])
})

const HOST: KubeObject = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'worker-7', labels: { zone: 'a' } },
  spec: { taints: [{ key: 'dedicated', value: 'gpu', effect: 'NoSchedule' }] },
  status: {
    capacity: { cpu: '4' },
    conditions: [{ type: 'Ready', status: 'Unknown', lastTransitionTime: '2026-06-01T12:30:00Z' }],
    addresses: [{ type: 'InternalIP', address: '10.0.0.7' }],
  },
}

test('shows what became of the node of the host', async () => {
  const made = virtualNode('worker-7', NODE_SETTINGS, { host: HOST, now: MADE })
  const drained = { ...HOST, spec: {}, metadata: { name: 'worker-7', labels: { zone: 'b' } } }
  const conditions = [{ type: 'Ready', status: 'True' }]
  const ready = { ...HOST, status: { ...Object(HOST['status']), capacity: {}, conditions } }

  expect(await synced(made, { host: () => HOST })).toEqual([])
  expect(await synced(made, { host: () => drained })).toMatchObject([
    ['/api/v1/nodes/worker-7', { metadata: { labels: { zone: 'b' } }, spec: { taints: [] } }],
  ])
  expect(await synced(made, { host: () => ready })).toMatchObject([
    [STATUS_PATH, { status: { capacity: {}, conditions } }],
  ])
})

test('is not ready any more when the host node is gone, and says since when', async () => {
  const made = virtualNode('worker-7', NODE_SETTINGS, { host: HOST, now: MADE })

  const written = await synced(made, { host: () => undefined })

  const since = { lastTransitionTime: '2026-06-01T13:00:00Z' }
  const conditions = [{ type: 'Ready', status: 'False', reason: 'HostNodeGone', ...since }]
  const status = { capacity: { cpu: '4' }, conditions }
  expect(written).toMatchObject([[STATUS_PATH, { metadata: { labels: { zone: 'a' } }, status }]])
  const [, node] = written.flat()
  expect(await synced(Object(node), { host: () => undefined })).toEqual([])
})

test.for([404, 409])('leaves what has changed meanwhile to the next time: %d', async (status) => {
  const refuses = () => {
    throw refusal(status, 'the object has been modified')
  }

  expect(await synced(nodeWith({ status: { conditions: [] } }), { refuses })).toEqual([])
})
