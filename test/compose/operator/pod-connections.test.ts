import { once } from 'node:events'
import { createServer } from 'node:net'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { podConnections } from '../../../src/compose/operator/pod-connections.ts'
import { freePort } from '../../support/machine/free-port.ts'

const { signal } = new AbortController()
const POD = { namespace: 'team-a', pod: 'vplane-dev-etcd-0' }

/** A pod at this machine's own address, and what is forwarded to it. */
function network() {
  const forwarded: number[] = []
  const object = { apiVersion: 'v1', kind: 'Pod', metadata: {}, status: { podIP: '127.0.0.1' } }
  const connections = podConnections({
    api: { get: () => Promise.resolve(object) },
    forward: ({ port }) => {
      forwarded.push(port)
      return Promise.resolve(new PassThrough())
    },
  })
  return { connections, forwarded }
}

test('connects to a pod without its API server', async () => {
  const { connections, forwarded } = network()
  await using server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0

  const stream = await connections({ ...POD, port }, { signal })
  stream.destroy()

  expect(forwarded).toEqual([])
})

test('connects through the API server when a network policy keeps it out', async () => {
  const { connections, forwarded } = network()
  const port = await freePort()

  const stream = await connections({ ...POD, port }, { signal })
  stream.destroy()

  expect(forwarded).toEqual([port])
})
