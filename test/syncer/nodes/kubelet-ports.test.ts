import { expect, test } from 'vitest'
import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'
import { ObjectCache } from '../../../src/syncer/engine/object-cache.ts'
import { KubeletPorts } from '../../../src/syncer/nodes/kubelet-ports.ts'
import { virtualNode } from '../../../src/syncer/nodes/virtual-node.ts'
import { waitFor } from '../../../src/shared/wait.ts'
import { MemoryHostApi } from '../../support/api/memory-host-api.ts'

const FIRST = 10_300

function nodeAt(name: string, port: number): KubeObject {
  const settings = { endpoint: 'syncer', portOf: () => port, kubernetesVersion: '1.36.3' }
  return virtualNode(name, settings, { now: new Date('2026-06-01T12:00:00Z') })
}

/** The ports of a plane that has these nodes at the start. */
async function portsOf(...nodes: KubeObject[]) {
  const api = new MemoryHostApi()
  const stop = new AbortController()
  const put = (node: KubeObject) => api.put(`/api/v1/nodes/${node.metadata.name}`, node)
  nodes.forEach(put)
  const cache = new ObjectCache(api, '/api/v1/nodes')
  const running = cache.run(stop.signal).catch(() => {})
  const until = (condition: () => boolean) =>
    waitFor(async () => condition(), { what: 'the nodes', timeoutMs: 5000 })
  await until(() => cache.size === nodes.length)
  return {
    ports: new KubeletPorts(cache, FIRST),
    remove: async (name: string) => {
      api.remove(`/api/v1/nodes/${name}`)
      await until(() => cache.get(`/${name}`) === undefined)
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort(new Error('the test has ended'))
      await running
    },
  }
}

test('gives each node a port of its own, always the same', async () => {
  await using given = await portsOf()
  const names = ['a', 'b', 'a', 'c']

  expect(names.map((name) => given.ports.of(name))).toEqual([FIRST, FIRST + 1, FIRST, FIRST + 2])
})

test('leaves nodes the ports that they have from an earlier syncer', async () => {
  await using given = await portsOf(nodeAt('a', FIRST + 1), nodeAt('b', FIRST + 7))

  expect(['new', 'b', 'newer', 'a'].map((name) => given.ports.of(name))).toEqual([
    FIRST,
    FIRST + 7,
    FIRST + 2,
    FIRST + 1,
  ])
})

test('gives the port of a node that is gone to another one', async () => {
  await using given = await portsOf(nodeAt('a', FIRST))
  given.ports.of('a')

  await given.remove('a')

  expect(given.ports.of('b')).toBe(FIRST)
})

test.for([
  ['of another node', FIRST],
  ["of the syncer's own", 10_251],
  ['of the system', 22],
  ['beyond all', FIRST + 10_000],
] as const)('gives another one to a node that shows a port %s', async ([, port]) => {
  await using given = await portsOf(nodeAt('a', FIRST), nodeAt('b', port))
  given.ports.of('a')

  expect(given.ports.of('b')).toBe(FIRST + 1)
})
