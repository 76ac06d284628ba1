import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { sharedEtcdConnection } from '../../../src/etcd/shared/shared-etcd-connection.ts'
import { freePort } from '../../support/machine/free-port.ts'
import { createTestCertificates } from '../../support/test-certificates.ts'
import { rejectionOf } from '../../support/thrown-by.ts'

const NEVER = new AbortController().signal
const { authority, client, server: own } = createTestCertificates()
const { certificate, key } = client
const ACCESS = { certificate, key, certificateAuthority: authority.certificate, answerMs: 200 }

test('takes the first member that answers, and expects its name', async () => {
  const silent = createServer((socket) => socket.on('error', () => {}).resume())
  const member = createTlsServer({ cert: own.certificate, key: own.key, ALPNProtocols: ['h2'] })
  const endpoints = [
    `https://127.0.0.1:${await freePort()}`,
    await endpointOf(silent),
    await endpointOf(member),
  ]

  const connection = await sharedEtcdConnection(endpoints, { ...ACCESS, answerMs: 2000 }, NEVER)

  expect(connection).toMatchObject({
    what: `etcd at ${endpoints[2]}`,
    serverName: '127.0.0.1',
    hasGateway: false,
  })
})

test('names all members when none answers', async () => {
  const silent = createServer((socket) => socket.on('error', () => {}).resume())
  const endpoints = [`https://[::1]:${await freePort()}`, await endpointOf(silent)]

  const error = await rejectionOf(sharedEtcdConnection(endpoints, ACCESS, NEVER))

  expect(error).toMatchObject({ code: 'UNREACHABLE' })
  expect(error.message).toContain(`${endpoints[0]}: `)
  expect(error.message).toContain(`${endpoints[1]}: no answer within 0.2 s`)
})

async function endpointOf(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  expect.assert(typeof address === 'object' && address !== null)
  return `https://127.0.0.1:${address.port}`
}
