import { expect, test } from 'vitest'
import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'
import { ObjectCache } from '../../../src/kube/cache/object-cache.ts'
import { VirtualNodes } from '../../../src/syncer/nodes/virtual-nodes.ts'
import { MemoryHostApi } from '../../support/api/memory-host-api.ts'
import { inBackground } from '../../support/in-background.ts'
import { soon } from '../../support/soon.ts'
import { follow } from '../engine/some-caches.ts'
import { virtualObject } from '../translate/some-objects.ts'
import { NODE_SETTINGS } from './some-nodes.ts'

const NODE = '/api/v1/nodes/worker-7'
const LEASE = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/worker-7'
const HOST_NODE: KubeObject = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'worker-7', labels: { zone: 'a' } },
  status: { capacity: { cpu: '4' }, conditions: [{ type: 'Ready', status: 'True' }] },
}
const ON_IT = { spec: { nodeName: 'worker-7' } }

interface World {
  pods?: ReadonlyArray<Partial<KubeObject>>
  /** The host's nodes. @default they may not be read */
  hostNodes?: readonly string[]
  showsAll?: boolean
  heartbeatMs?: number
}

/** The nodes of a plane in memory. */
async function nodesOf({ hostNodes, pods = [], ...options }: World = {}) {
  const api = new MemoryHostApi()
  for (const [index, { metadata, ...pod }] of pods.entries()) {
    const place = { name: `pod-${index}`, namespace: 'default' }
    const path = `/api/v1/namespaces/default/pods/${place.name}`
    api.put(path, virtualObject('Pod', pod, { ...metadata, ...place }))
  }
  const listeners: Array<(node: KubeObject) => void> = []
  const known = [...(hostNodes ?? [])]
  const host = {
    get: (key: string) => (known.includes(key) ? HOST_NODE : undefined),
    values: () => known.map((key) => ({ ...HOST_NODE, metadata: { name: key.slice(1) } })),
    onChange: (listener: (node: KubeObject) => void) => listeners.push(listener),
  }
  const nodes = {
    virtual: new ObjectCache(api, '/api/v1/nodes'),
    ...(hostNodes === undefined ? {} : { host: Object(host) }),
  }
  const podCache = new ObjectCache(api, '/api/v1/pods')
  follow(nodes.virtual, podCache)
  await soon('the pods', () => podCache.size === pods.length)
  const clock = { now: new Date('2026-06-01T12:00:00Z') }
  const errors: unknown[] = []
  const virtualNodes = new VirtualNodes({
    plane: api,
    nodes,
    pods: podCache,
    nodeSettings: NODE_SETTINGS,
    now: () => clock.now,
    onError: (_, error) => errors.push(error),
    heartbeatMs: 5,
    idleMs: 60_000,
    ...options,
  })
  return {
    api,
    clock,
    errors,
    nodes,
    virtualNodes,
    run: () => inBackground((signal) => virtualNodes.run(signal)),
    /** The node is there and known. */
    known: () => soon('the node', () => nodes.virtual.size === 1),
    addHostNode: (name: string) => {
      known.push(`/${name}`)
      listeners.forEach((listener) => listener({ ...HOST_NODE, metadata: { name } }))
    },
    /** The node is there, known, and its Lease was renewed at a time. */
    keptAt: async (time: string) => {
      clock.now = new Date(time)
      await soon('a heartbeat', () => renewTimeOf(api.objects.get(LEASE)) === clock.now.getTime())
    },
    removedAt: async (time: string) => {
      clock.now = new Date(time)
      await soon('the end', () => !api.objects.has(NODE))
    },
  }
}

const renewTimeOf = (lease: KubeObject | undefined) =>
  Date.parse(Object(lease?.['spec'])['renewTime'])

test('makes a node that is ready and leads to the syncer, once and by one request', async () => {
  const given = await nodesOf()

  await Promise.all([given.virtualNodes.ensure('worker-7'), given.virtualNodes.ensure('worker-7')])
  await given.known()
  await given.virtualNodes.ensure('worker-7')

  expect(given.api.writes).toEqual(['create /api/v1/nodes'])
  expect(given.api.objects.get(NODE)).toMatchObject({
    metadata: { labels: { 'vplane.dev/virtual': 'true' } },
    status: {
      addresses: [{ type: 'Hostname', address: 'syncer.team-a.svc' }],
      daemonEndpoints: { kubeletEndpoint: { Port: 10_300 } },
      conditions: expect.arrayContaining([
        expect.objectContaining({ type: 'Ready', status: 'True' }),
      ]),
    },
  })
})

test('tries again what failed', async () => {
  const given = await nodesOf()
  given.api.hooks.onRequest = ({ verb }) => {
    if (verb === 'create') {
      throw new Error('not now')
    }
  }
  await expect(given.virtualNodes.ensure('worker-7')).rejects.toThrow('not now')
  given.api.hooks.onRequest = () => {}

  await given.virtualNodes.ensure('worker-7')

  expect(given.api.objects.has(NODE)).toBe(true)
})

test.for([
  ['run', {}],
  ['have ended, for their logs', { status: { phase: 'Succeeded' } }],
] as const)(
  'says again and again that a node is there as long as pods are on it that %s',
  async ([, pod]) => {
    const given = await nodesOf({ pods: [{ ...ON_IT, ...pod }] })
    await given.virtualNodes.ensure('worker-7')
    given.run()

    await given.keptAt('2026-06-01T12:00:10Z')
    await given.keptAt('2026-06-01T13:00:00Z')

    const { uid } = given.api.objects.get(NODE)?.metadata ?? {}
    expect(given.api.objects.get(LEASE)).toMatchObject({
      metadata: { ownerReferences: [{ kind: 'Node', name: 'worker-7', uid }] },
      spec: { holderIdentity: 'worker-7' },
    })
    expect(given.errors).toEqual([])
  },
)

const OF_DAEMON_SET = { ownerReferences: [{ kind: 'DaemonSet', controller: true }] }

test.for([
  ['there is none', []],
  ['there are those of a DaemonSet', [{ ...ON_IT, metadata: OF_DAEMON_SET }]],
  ['there are those of other nodes', [{ spec: { nodeName: 'worker-8' } }, { spec: {} }]],
] as const)('removes a node that no pod needs any more, after a while: %s', async ([, pods]) => {
  const given = await nodesOf({ pods })
  await given.virtualNodes.ensure('worker-7')
  await given.known()
  given.run()
  await given.keptAt('2026-06-01T12:00:00Z')
  await given.keptAt('2026-06-01T12:00:59Z')

  await given.removedAt('2026-06-01T12:01:00Z')

  expect(given.errors).toEqual([])
})

test('keeps a node that someone has cordoned', async () => {
  const given = await nodesOf()
  await given.virtualNodes.ensure('worker-7')
  await given.api.patch(NODE, { spec: { unschedulable: true } }, { type: 'merge' })
  const { virtual } = given.nodes
  await soon('the cordon', () => Object(virtual.get('/worker-7')?.['spec'])['unschedulable'])
  given.run()

  await given.keptAt('2026-06-01T12:00:00Z')
  await given.keptAt('2026-06-01T13:00:00Z')
})

test('makes a node as the host has it', async () => {
  const given = await nodesOf({ hostNodes: ['/worker-7'] })

  await given.virtualNodes.ensure('worker-7')

  expect(given.api.objects.get(NODE)).toMatchObject({
    metadata: { labels: { zone: 'a' } },
    status: { capacity: { cpu: '4' }, conditions: [{ type: 'Ready', status: 'True' }] },
  })
})

test('has a node for each of the host where the plane schedules, as soon as the host has it', async () => {
  const rare = { showsAll: true, heartbeatMs: 60_000 }
  const given = await nodesOf({ hostNodes: ['/worker-7'], ...rare })
  given.run()
  await soon('the node', () => given.api.objects.has(NODE))

  given.addHostNode('worker-8')

  await soon('the other node', () => given.api.objects.has('/api/v1/nodes/worker-8'))
})

test('keeps the nodes that no pod is on where the plane schedules', async () => {
  const given = await nodesOf({ hostNodes: ['/worker-7'], showsAll: true })
  given.run()
  await given.known()

  await given.keptAt('2026-06-01T12:00:10Z')
  await given.keptAt('2026-06-01T13:00:00Z')
})

test('keeps no node that the host does not have for a cordon or for logs', async () => {
  const pods = [{ ...ON_IT, status: { phase: 'Failed' } }]
  const given = await nodesOf({ hostNodes: [], pods })
  await given.virtualNodes.ensure('worker-7')
  await given.api.patch(NODE, { spec: { unschedulable: true } }, { type: 'merge' })
  await given.known()
  given.run()
  await given.keptAt('2026-06-01T12:00:00Z')

  await given.removedAt('2026-06-01T12:01:00Z')
})

test('does not remove a node that a pod is about to be bound to', async () => {
  const given = await nodesOf()
  await given.virtualNodes.ensure('worker-7')
  given.run()
  await given.keptAt('2026-06-01T12:00:00Z')
  await given.keptAt('2026-06-01T12:00:59Z')

  await given.virtualNodes.ensure('worker-7')

  await given.keptAt('2026-06-01T12:01:30Z')
})

test('makes a node again for a pod that comes while it is removed', async () => {
  const given = await nodesOf()
  await given.virtualNodes.ensure('worker-7')
  const { uid } = given.api.objects.get(NODE)?.metadata ?? {}
  const removing = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  given.api.hooks.onRequest = async ({ verb }) => {
    if (verb === 'delete') {
      removing.resolve()
      await gate.promise
    }
  }
  given.run()
  await given.keptAt('2026-06-01T12:00:00Z')
  given.clock.now = new Date('2026-06-01T12:05:00Z')
  await removing.promise

  const ensured = given.virtualNodes.ensure('worker-7')
  gate.resolve()
  await ensured

  const creates = given.api.writes.filter((request) => request === 'create /api/v1/nodes')
  expect(creates).toHaveLength(2)
  expect(given.api.objects.get(NODE)?.metadata.uid).not.toBe(uid)
})
