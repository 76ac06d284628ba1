import { expect, test } from 'vitest'
import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'
import { waitFor } from '../../../src/shared/wait.ts'
import { ObjectCache } from '../../../src/syncer/engine/object-cache.ts'
import { VirtualNodes } from '../../../src/syncer/nodes/virtual-nodes.ts'
import { MemoryHostApi } from '../../support/api/memory-host-api.ts'

const NODE = '/api/v1/nodes/worker-7'
const LEASE = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/worker-7'
const HOST_NODE: KubeObject = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'worker-7', labels: { zone: 'a' } },
  status: { capacity: { cpu: '4' }, conditions: [{ type: 'Ready', status: 'True' }] },
}
const ON_IT = { spec: { nodeName: 'worker-7' } }

/** The nodes of a plane in memory, with these pods. */
async function nodesOf(...pods: Array<Partial<KubeObject>>) {
  return hostedNodesOf(undefined, ...pods)
}

/** The same where the host's nodes may be read, which are these. */
async function hostedNodesOf(
  hostNodes: readonly string[] | undefined,
  ...pods: Array<Partial<KubeObject>>
) {
  return worldOf({ hostNodes }, ...pods)
}

async function worldOf(
  {
    hostNodes,
    ...options
  }: { hostNodes: readonly string[] | undefined; showsAll?: boolean; heartbeatMs?: number },
  ...pods: Array<Partial<KubeObject>>
) {
  const stop = new AbortController()
  const api = new MemoryHostApi()
  for (const [index, { metadata, ...pod }] of pods.entries()) {
    const name = `pod-${index}`
    api.put(`/api/v1/namespaces/default/pods/${name}`, {
      apiVersion: 'v1',
      kind: 'Pod',
      ...pod,
      metadata: { ...metadata, name, namespace: 'default' },
    })
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
  const running = [nodes.virtual, podCache].map((cache) => cache.run(stop.signal).catch(() => {}))
  const until = (what: string, condition: () => boolean) =>
    waitFor(async () => condition(), { what, timeoutMs: 5000 })
  await until('the pods', () => podCache.size === pods.length)
  const clock = { now: new Date('2026-06-01T12:00:00Z') }
  const errors: unknown[] = []
  const virtualNodes = new VirtualNodes({
    plane: api,
    nodes,
    pods: podCache,
    nodeSettings: {
      endpoint: 'vplane-dev-syncer.team-a.svc',
      portOf: () => 10_300,
      kubernetesVersion: '1.36.3',
    },
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
    until,
    run: () => running.push(virtualNodes.run(stop.signal)),
    addHostNode: (name: string) => {
      known.push(`/${name}`)
      listeners.forEach((listener) => listener({ ...HOST_NODE, metadata: { name } }))
    },
    /** The node is there, known, and its Lease was renewed at a time. */
    keptAt: async (time: string) => {
      clock.now = new Date(time)
      await until('a heartbeat', () => renewTimeOf(api.objects.get(LEASE)) === clock.now.getTime())
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort(new Error('the test has ended'))
      await Promise.all(running)
    },
  }
}

const renewTimeOf = (lease: KubeObject | undefined) =>
  Date.parse(Object(lease?.['spec'])['renewTime'])

const creates = (api: MemoryHostApi) =>
  api.writes.filter((request) => request === 'create /api/v1/nodes')

test('makes a node that is ready and leads to the syncer, once and by one request', async () => {
  await using given = await nodesOf()

  await Promise.all([given.virtualNodes.ensure('worker-7'), given.virtualNodes.ensure('worker-7')])
  await given.until('the node', () => given.nodes.virtual.size === 1)
  await given.virtualNodes.ensure('worker-7')

  expect(given.api.writes).toEqual(['create /api/v1/nodes'])
  expect(given.api.objects.get(NODE)).toMatchObject({
    metadata: { labels: { 'vplane.dev/virtual': 'true' } },
    status: {
      addresses: [{ type: 'Hostname', address: 'vplane-dev-syncer.team-a.svc' }],
      daemonEndpoints: { kubeletEndpoint: { Port: 10_300 } },
      conditions: expect.arrayContaining([
        expect.objectContaining({ type: 'Ready', status: 'True' }),
      ]),
    },
  })
})

test('tries again what failed', async () => {
  await using given = await nodesOf()
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
    await using given = await nodesOf({ ...ON_IT, ...pod })
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

test.for([
  ['there is none', []],
  [
    'there are those of a DaemonSet',
    [{ ...ON_IT, metadata: { ownerReferences: [{ kind: 'DaemonSet', controller: true }] } }],
  ],
  ['there are those of other nodes', [{ spec: { nodeName: 'worker-8' } }, { spec: {} }]],
] as const)('removes a node that no pod needs any more, after a while: %s', async ([, pods]) => {
  await using given = await nodesOf(...pods)
  await given.virtualNodes.ensure('worker-7')
  await given.until('the node', () => given.nodes.virtual.size === 1)
  given.run()
  await given.keptAt('2026-06-01T12:00:00Z')
  await given.keptAt('2026-06-01T12:00:59Z')

  given.clock.now = new Date('2026-06-01T12:01:00Z')

  await given.until('the end', () => !given.api.objects.has(NODE))
  expect(given.errors).toEqual([])
})

test('keeps a node that somebody has cordoned', async () => {
  await using given = await nodesOf()
  await given.virtualNodes.ensure('worker-7')
  await given.api.patch(NODE, { spec: { unschedulable: true } }, { type: 'merge' })
  await given.until('the cordon', () =>
    [...given.nodes.virtual.values()].some(({ spec }) => Object(spec)['unschedulable'] === true),
  )
  given.run()

  await given.keptAt('2026-06-01T12:00:00Z')
  await given.keptAt('2026-06-01T13:00:00Z')
})

test('makes a node as the host has it', async () => {
  await using given = await hostedNodesOf(['/worker-7'])

  await given.virtualNodes.ensure('worker-7')

  expect(given.api.objects.get(NODE)).toMatchObject({
    metadata: { labels: { zone: 'a' } },
    status: { capacity: { cpu: '4' }, conditions: [{ type: 'Ready', status: 'True' }] },
  })
})

test('has a node for each of the host where the plane schedules, as soon as the host has it', async () => {
  const options = { hostNodes: ['/worker-7'], showsAll: true, heartbeatMs: 60_000 }
  await using given = await worldOf(options)
  given.run()
  await given.until('the node', () => given.api.objects.has(NODE))

  given.addHostNode('worker-8')

  await given.until('the other node', () => given.api.objects.has('/api/v1/nodes/worker-8'))
})

test('keeps the nodes that no pod is on where the plane schedules', async () => {
  await using given = await worldOf({ hostNodes: ['/worker-7'], showsAll: true })
  given.run()
  await given.until('the node', () => given.nodes.virtual.size === 1)

  await given.keptAt('2026-06-01T12:00:10Z')
  await given.keptAt('2026-06-01T13:00:00Z')
})

test('keeps no node that the host does not have for a cordon or for logs', async () => {
  await using given = await hostedNodesOf([], { ...ON_IT, status: { phase: 'Failed' } })
  await given.virtualNodes.ensure('worker-7')
  await given.api.patch(NODE, { spec: { unschedulable: true } }, { type: 'merge' })
  await given.until('the node', () => given.nodes.virtual.size === 1)
  given.run()
  await given.keptAt('2026-06-01T12:00:00Z')

  given.clock.now = new Date('2026-06-01T12:01:00Z')

  await given.until('the end', () => !given.api.objects.has(NODE))
})

test('does not remove a node that a pod is about to be bound to', async () => {
  await using given = await nodesOf()
  await given.virtualNodes.ensure('worker-7')
  given.run()
  await given.keptAt('2026-06-01T12:00:00Z')
  await given.keptAt('2026-06-01T12:00:59Z')

  await given.virtualNodes.ensure('worker-7')

  await given.keptAt('2026-06-01T12:01:30Z')
})

test('makes a node anew for a pod that comes while it is removed', async () => {
  await using given = await nodesOf()
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

  expect(creates(given.api)).toHaveLength(2)
  expect(given.api.objects.get(NODE)?.metadata.uid).not.toBe(uid)
})
