import { expect, test } from 'vitest'
import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'
import { ObjectCache } from '../../../src/kube/cache/object-cache.ts'
import { KubeletPorts } from '../../../src/syncer/nodes/kubelet-ports.ts'
import { MemoryHostApi } from '../../support/api/memory-host-api.ts'
import { soon } from '../../support/soon.ts'
import { follow } from '../engine/some-caches.ts'
import { nodeAt } from './some-nodes.ts'

const FIRST = 10_300

/** The ports of a plane that has these nodes at the start. */
async function portsOf(...nodes: KubeObject[]) {
  const api = new MemoryHostApi()
  nodes.forEach((node) => api.put(`/api/v1/nodes/${node.metadata.name}`, node))
  const cache = new ObjectCache(api, '/api/v1/nodes')
  follow(cache)
  await soon('the nodes', () => cache.size === nodes.length)
  return {
    ports: new KubeletPorts(cache, FIRST),
    remove: async (name: string) => {
      api.remove(`/api/v1/nodes/${name}`)
      await soon('the end', () => cache.get(`/${name}`) === undefined)
    },
  }
}

test('gives each node a port of its own, always the same', async () => {
  const given = await portsOf()
  const names = ['a', 'b', 'a', 'c']

  expect(names.map((name) => given.ports.of(name))).toEqual([FIRST, FIRST + 1, FIRST, FIRST + 2])
})

test('leaves nodes the ports that they have from an earlier syncer', async () => {
  const given = await portsOf(nodeAt('a', FIRST + 1), nodeAt('b', FIRST + 7))

  const names = ['new', 'b', 'newer', 'a']
  const ports = [FIRST, FIRST + 7, FIRST + 2, FIRST + 1]
  expect(names.map((name) => given.ports.of(name))).toEqual(ports)
})

test('gives the port of a node that is gone to another one', async () => {
  const given = await portsOf(nodeAt('a', FIRST))
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
  const given = await portsOf(nodeAt('a', FIRST), nodeAt('b', port))
  given.ports.of('a')

  expect(given.ports.of('b')).toBe(FIRST + 1)
})
