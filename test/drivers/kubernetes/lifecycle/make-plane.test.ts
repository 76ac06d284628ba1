import { expect, test } from 'vitest'
import { resolveSpec } from '../../../../src/control-plane/spec/resolve-spec.ts'
import { nodeAddresses } from '../../../../src/drivers/kubernetes/lifecycle/make-plane.ts'
import type { KubeObject } from '../../../../src/shared/kube/kube-object.ts'
import { refusal } from '../../../support/api/memory-host-api.ts'

const { signal } = new AbortController()
const EXPOSED = resolveSpec({ expose: { type: 'node-port' } }, 'kubernetes')

test('returns the addresses of nodes, and not their names', async () => {
  const nodes = [
    node('a', [
      { type: 'InternalIP', address: '10.0.0.1' },
      { type: 'InternalIP', address: 'fd00::1' },
      { type: 'ExternalIP', address: '192.0.2.1' },
      { type: 'Hostname', address: 'a' },
    ]),
    node('b', [{ type: 'InternalIP', address: '10.0.0.2' }]),
    node('c', undefined),
  ]

  const addresses = await nodeAddresses(hostWith(nodes), EXPOSED, signal)

  expect(addresses).toEqual(['10.0.0.1', 'fd00::1', '192.0.2.1', '10.0.0.2'])
})

test('returns no more nodes than fit into a certificate', async () => {
  const nodes = Array.from({ length: 5000 }, (_, index) =>
    node(`${index}`, [{ type: 'InternalIP', address: `10.0.${index >> 8}.${index & 255}` }]),
  )

  expect(await nodeAddresses(hostWith(nodes), EXPOSED, signal)).toHaveLength(100)
})

test('reads no nodes for planes that are not exposed by them', async () => {
  const api = { list: () => Promise.reject(new Error('looked')) }

  expect(await nodeAddresses(api, resolveSpec({}, 'kubernetes'), signal)).toEqual([])
})

test('returns none for a user who may not read nodes', async () => {
  const api = { list: () => Promise.reject(refusal(403, 'nodes is forbidden')) }

  expect(await nodeAddresses(api, EXPOSED, signal)).toEqual([])
})

function hostWith(items: KubeObject[]) {
  return {
    list: (path: string) => {
      expect(path).toBe('/api/v1/nodes')
      return Promise.resolve({ items, resourceVersion: '1' })
    },
  }
}

function node(name: string, addresses: object[] | undefined): KubeObject {
  return { apiVersion: 'v1', kind: 'Node', metadata: { name }, status: { addresses } }
}
