import { expect, test } from 'vitest'
import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'
import { syncNode } from '../../../src/syncer/nodes/sync-node.ts'
import { virtualNode } from '../../../src/syncer/nodes/virtual-node.ts'
import { refusal } from '../../support/api/memory-host-api.ts'

const SETTINGS = {
  endpoint: 'syncer.team-a.svc',
  portOf: () => 10_300,
  kubernetesVersion: '1.36.3',
}
const MADE = new Date('2026-06-01T12:00:00Z')
const NOW = new Date('2026-06-01T13:00:00Z')

/** The node as it was made, with what became of it. */
function nodeWith({ labels = {}, spec = {}, status = {} } = {}): KubeObject {
  const made = virtualNode('worker-7', SETTINGS, { now: MADE })
  return {
    ...made,
    metadata: { ...made.metadata, uid: 'n-1', labels: { ...made.metadata.labels, ...labels } },
    spec,
    status: { ...made.status, ...status },
  }
}

/** What is written about a node. */
async function synced(
  known: KubeObject | undefined,
  { host, refuses = () => {} }: { host?: () => KubeObject | undefined; refuses?: () => void } = {},
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
      nodes: {
        virtual: { get: () => known },
        ...(host === undefined ? {} : { host: { get: host } }),
      },
      nodeSettings: SETTINGS,
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

test('leaves a node alone that is not of the syncer', async () => {
  const known = nodeWith({ status: { conditions: [] } })

  expect(await synced({ ...known, metadata: { ...known.metadata, labels: {} } })).toEqual([])
})

test('brings labels back, and keeps those of others', async () => {
  const known = nodeWith({ labels: { team: 'a', 'kubernetes.io/os': 'other' } })

  expect(await synced(known)).toMatchObject([
    [
      '/api/v1/nodes/worker-7',
      { metadata: { uid: 'n-1', labels: { team: 'a', 'kubernetes.io/os': 'linux' } } },
    ],
  ])
})

test('points a node of an earlier syncer to where this one is', async () => {
  const known = nodeWith({ status: { daemonEndpoints: { kubeletEndpoint: { Port: 1 } } } })

  expect(await synced(known)).toMatchObject([
    [
      '/api/v1/nodes/worker-7/status',
      { spec: {}, status: { daemonEndpoints: { kubeletEndpoint: { Port: 10_300 } } } },
    ],
  ])
})

test('says that a node is ready again that had not been heard of', async () => {
  const { status } = virtualNode('worker-7', SETTINGS, { now: MADE })
  const conditions = [Object(status)['conditions']].flat()
  const ready = { ...conditions.at(-1), status: 'Unknown', reason: 'NodeStatusUnknown' }

  const [written] = await synced(
    nodeWith({ status: { conditions: [...conditions.slice(0, -1), ready] } }),
  )

  const [, node] = [written].flat()
  const shown = [Object(node)['status']['conditions']].flat()
  expect(shown.slice(0, -1)).toEqual(conditions.slice(0, -1))
  expect(shown.at(-1)).toMatchObject({
    type: 'Ready',
    status: 'True',
    lastTransitionTime: '2026-06-01T13:00:00Z',
  })
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
  const made = virtualNode('worker-7', SETTINGS, { host: HOST, now: MADE })
  const drained = { ...HOST, spec: {}, metadata: { name: 'worker-7', labels: { zone: 'b' } } }
  const conditions = [{ type: 'Ready', status: 'True' }]
  const ready = { ...HOST, status: { ...Object(HOST['status']), capacity: {}, conditions } }

  expect(await synced(made, { host: () => HOST })).toEqual([])
  expect(await synced(made, { host: () => drained })).toMatchObject([
    ['/api/v1/nodes/worker-7', { metadata: { labels: { zone: 'b' } }, spec: { taints: [] } }],
  ])
  expect(await synced(made, { host: () => ready })).toMatchObject([
    ['/api/v1/nodes/worker-7/status', { status: { capacity: {}, conditions } }],
  ])
})

test('is not ready any more when the host node is gone, and says since when', async () => {
  const made = virtualNode('worker-7', SETTINGS, { host: HOST, now: MADE })

  const written = await synced(made, { host: () => undefined })

  expect(written).toMatchObject([
    [
      '/api/v1/nodes/worker-7/status',
      {
        metadata: { labels: { zone: 'a' } },
        status: {
          capacity: { cpu: '4' },
          conditions: [
            {
              type: 'Ready',
              status: 'False',
              reason: 'HostNodeGone',
              lastTransitionTime: '2026-06-01T13:00:00Z',
            },
          ],
        },
      },
    ],
  ])
  const [, node] = written.flat()
  expect(await synced(Object(node), { host: () => undefined })).toEqual([])
})

test.for([404, 409])('leaves what has changed meanwhile to the next time: %d', async (status) => {
  const refuses = () => {
    throw refusal(status, 'the object has been modified')
  }

  expect(await synced(nodeWith({ status: { conditions: [] } }), { refuses })).toEqual([])
})
