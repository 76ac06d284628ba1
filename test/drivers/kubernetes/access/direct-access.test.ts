import { once } from 'node:events'
import { connect, createServer as createTcpServer } from 'node:net'
import type { Server } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { createServer } from 'node:tls'
import { expect, test } from 'vitest'
import { DirectAccess } from '../../../../src/drivers/kubernetes/access/direct-access.ts'
import { toPlane } from '../../../../src/drivers/kubernetes/record/plane-record.ts'
import { objectLabels } from '../../../../src/manifests/object-names.ts'
import { MemoryHostApi } from '../../../support/api/memory-host-api.ts'
import { createTestCertificates } from '../../../support/test-certificates.ts'
import { putObject } from '../fake-cluster.ts'
import { planeRecordOf } from '../plane-record-of.ts'

const certificates = createTestCertificates()
const CA = certificates.authority.certificate
const { signal } = new AbortController()

test('finds a server with a certificate of the CA', async () => {
  await using server = await listening(tlsServer())
  const { port } = server

  expect(await reach({ port })).toBe(`https://127.0.0.1:${port}`)
  expect(await reach({ port, host: 'localhost' })).toBe(`https://localhost:${port}`)
})

test('leaves out another server, and the right one under a wrong name', async () => {
  await using server = await listening(tlsServer())
  const { port } = server
  const other = createTestCertificates().authority.certificate

  expect(await reach({ port, certificateAuthority: other })).toBeUndefined()
  expect(await reach({ port, hostIP: '127.0.0.2' })).toBeUndefined()
})

test('leaves out a port without a listener, or without TLS', async () => {
  await using plain = await listening(createTcpServer((socket) => socket.end('hello\n')))

  expect(await reach({ port: plain.port })).toBeUndefined()
  expect(await reach({ port: await closedPort() })).toBeUndefined()
})

test('tries a port again that refuses connections when its plane has just started', async () => {
  const port = await closedPort()
  const found = reach({ port, graceMs: 10_000 })
  await delay(300)
  await using _server = await listening(tlsServer(), port)

  expect(await found).toBe(`https://127.0.0.1:${port}`)
})

test('waits for a server that answers late', async () => {
  await using behind = await listening(tlsServer())
  // As a gateway holds clients until the plane is awake.
  await using late = await listening(
    createTcpServer((socket) => {
      setTimeout(() => {
        const plane = connect(behind.port, '127.0.0.1')
        plane.on('error', () => socket.destroy())
        socket.pipe(plane).pipe(socket)
      }, 2000)
    }),
  )

  expect(await reach({ port: late.port })).toBe(`https://127.0.0.1:${late.port}`)
})

test('tries a silent server only once', async () => {
  let connections = 0
  await using silent = await listening(createTcpServer(() => (connections += 1)))
  const access = new DirectAccess(100)

  expect(await reach({ port: silent.port, access, graceMs: 10_000 })).toBeUndefined()
  expect(await reach({ port: silent.port, access })).toBeUndefined()
  expect(connections).toBe(1)
})

interface Reach {
  port: number
  access?: DirectAccess
  certificateAuthority?: string
  graceMs?: number
  host?: string
  hostIP?: string
}

/** The address of a plane that is exposed by a port of a node, where it can be reached. */
function reach({
  access = new DirectAccess(),
  hostIP = '127.0.0.1',
  host,
  port,
  ...search
}: Reach) {
  const api = new MemoryHostApi()
  const labels = objectLabels('dev', 'kube-apiserver')
  const ports = [{ port: 443, nodePort: port }]
  putObject(api, ['Service', { name: 'vplane-dev-api' }], { spec: { ports }, status: {} })
  putObject(api, ['Pod', { name: 'a', labels }], { status: { hostIP } })
  const record = planeRecordOf('dev', { userSpec: { expose: { type: 'node-port', host } } })
  const plane = toPlane(record, { namespace: 'team-a', hostContext: 'lab' })
  return access.find(plane, { api, certificateAuthority: CA, signal, ...search })
}

function tlsServer(): Server {
  const { certificate, key } = certificates.server
  return createServer({ cert: certificate, key }, (socket) => socket.on('error', () => {}))
}

async function listening(server: Server, wanted = 0): Promise<AsyncDisposable & { port: number }> {
  const sockets = new Set<{ destroy(): void }>()
  server.on('connection', (socket) => {
    socket.on('error', () => {})
    sockets.add(socket)
  })
  server.on('tlsClientError', () => {})
  server.listen(wanted, '0.0.0.0')
  await once(server, 'listening')
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    [Symbol.asyncDispose]: async () => {
      sockets.forEach((socket) => socket.destroy())
      server.close()
      await once(server, 'close')
    },
  }
}

async function closedPort(): Promise<number> {
  await using server = await listening(createTcpServer())
  return server.port
}
