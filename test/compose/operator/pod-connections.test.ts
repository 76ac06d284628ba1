import { once } from 'node:events'
import { createServer } from 'node:net'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { podConnections } from '../../../src/compose/operator/pod-connections.ts'
import { freePort } from '../../support/machine/free-port.ts'

const { signal } = new AbortController()
const POD = { namespace: 'team-a', pod: 'vplane-dev-kube-apiserver' }

/** A pod at this machine's own address with kube-apiserver at a port, and what is forwarded to it. */
function network(direct: number) {
  const forwarded: number[] = []
  const object = { apiVersion: 'v1', kind: 'Pod', metadata: {}, status: { podIP: '127.0.0.1' } }
  const connections = podConnections({
    direct,
    api: { get: () => Promise.resolve(object) },
    forward: ({ port }) => {
      forwarded.push(port)
      return Promise.resolve(new PassThrough())
    },
  })
  return { connections, forwarded }
}

test('connects to kube-apiserver in a pod without the API server of the host', async () => {
  await using server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0

  const { connections, forwarded } = network(port)
  const stream = await connections({ ...POD, port }, { signal })
  stream.destroy()

  expect(forwarded).toEqual([])
})

test.each([
  ['when a network policy keeps it out', 0],
  ['to other ports, which network policies close', 1],
])('connects through the API server of the host %s', async (_, offset) => {
  const port = await freePort()
  const { connections, forwarded } = network(port + offset)

  const stream = await connections({ ...POD, port }, { signal })
  stream.destroy()

  expect(forwarded).toEqual([port])
})
