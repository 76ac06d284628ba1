import { once } from 'node:events'
import { connect, createServer as createTcpServer } from 'node:net'
import type { Server } from 'node:net'
import { createServer } from 'node:tls'
import { expect, test } from 'vitest'
import { answers } from '../../../../src/drivers/kubernetes/access/plane-access.ts'
import { createTestCertificates } from '../../../support/test-certificates.ts'

const certificates = createTestCertificates()
const CA = certificates.authority.certificate

test('accepts a server with a certificate of the CA', async () => {
  await using server = await listening(tlsServer())

  expect(await answers(`https://127.0.0.1:${server.port}`, CA)).toBe(true)
  expect(await answers(`https://localhost:${server.port}`, CA)).toBe(true)
})

test('refuses another server, and the right one under a wrong name', async () => {
  await using server = await listening(tlsServer())
  const other = createTestCertificates().authority.certificate

  expect(await answers(`https://127.0.0.1:${server.port}`, other)).toBe(false)
  expect(await answers(`https://127.0.0.2:${server.port}`, CA)).toBe(false)
})

test('refuses a port without a listener, or without TLS', async () => {
  await using plain = await listening(createTcpServer((socket) => socket.end('hello\n')))
  const { port: gone } = await closed()

  expect(await answers(`https://127.0.0.1:${plain.port}`, CA)).toBe(false)
  expect(await answers(`https://127.0.0.1:${gone}`, CA)).toBe(false)
})

test('waits for a server that answers late, and not forever for a silent one', async () => {
  await using silent = await listening(createTcpServer(() => {}))
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

  expect(await answers(`https://127.0.0.1:${late.port}`, CA)).toBe(true)
  expect(await answers(`https://127.0.0.1:${silent.port}`, CA, 100)).toBe(false)
})

function tlsServer(): Server {
  const { certificate, key } = certificates.server
  return createServer({ cert: certificate, key }, (socket) => socket.on('error', () => {}))
}

async function listening(server: Server): Promise<AsyncDisposable & { port: number }> {
  const sockets = new Set<{ destroy(): void }>()
  server.on('connection', (socket) => {
    socket.on('error', () => {})
    sockets.add(socket)
  })
  server.on('tlsClientError', () => {})
  server.listen(0, '0.0.0.0')
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

async function closed(): Promise<{ port: number }> {
  await using server = await listening(createTcpServer())
  return { port: server.port }
}
