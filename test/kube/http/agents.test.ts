import { createServer } from 'node:http'
import { expect, test, vi } from 'vitest'
import { createKubeClient } from '../../../src/kube/client/client.ts'
import type { Credential, KubeConnection } from '../../../src/kube/connection.ts'
import type { FakeApiServer } from '../../support/api/fake-api-server.ts'
import {
  listenOnLoopback,
  sendJson,
  startFakeApiServer,
} from '../../support/api/fake-api-server.ts'
import { createTestCertificates } from '../../support/test-certificates.ts'

const POD = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } }

test.for([
  ['localhost', true],
  ['127.0.0.1', true],
  ['kubernetes', false],
  ['10.0.0.1', false],
] as const)('wants a certificate for %s: %s', async ([serverName, isTrusted]) => {
  await using server = await startPods()
  const { port } = new URL(server.connection.server)
  for (const host of ['127.0.0.1', 'localhost']) {
    const address = `https://${host}:${port}`
    await using client = createKubeClient({ ...server.connection, server: address, serverName })
    const pod = client.get('/api/v1/pods/a')

    await (isTrusted
      ? expect(pod).resolves.toEqual(POD)
      : expect(pod).rejects.toThrow('its certificate is not trusted'))
  }
})

test('takes any certificate when it is told to', async () => {
  await using server = await startPods()
  const { certificate } = createTestCertificates().authority
  const connection = { ...server.connection, certificateAuthority: certificate, isInsecure: true }
  await using client = createKubeClient(connection)

  expect(await client.get('/api/v1/pods/a')).toEqual(POD)
})

test('trusts the CAs of the machine where it is given none', async () => {
  await using server = await startPods()
  await using client = createKubeClient({ ...server.connection, certificateAuthority: undefined })

  await expect(client.get('/api/v1/pods/a')).rejects.toThrow('its certificate is not trusted')
})

test('uses a new certificate at once, and no connection of the old one', async () => {
  await using server = await startPods()
  await using other = await startPods()
  const identity = ({ connection }: FakeApiServer): Credential => ({
    certificateAuthority: connection.certificateAuthority,
    certificate: connection.certificate,
    key: connection.key,
  })
  let credential: Credential = identity(server)
  await using client = createKubeClient(withCredentials(server, () => credential))
  const get = () => client.get('/api/v1/pods/a')
  await Promise.all([get(), get()])
  await server.openConnections(2)

  credential = { ...identity(other), certificate: undefined, key: undefined }
  await expect(get()).rejects.toMatchObject({ code: 'UNREACHABLE' })
  credential = identity(server)
  await Promise.all([get(), get()])

  expect(server.requests.map(({ user }) => user)).toEqual(Array.from({ length: 4 }, () => 'tester'))
  expect(server.connections()).toBe(5)
})

test('keeps the connection when only the token is new', async () => {
  await using server = await startPods()
  let number = 0
  const { certificate, key } = server.connection
  const next = () => ({ certificate, key, authorization: `Bearer ${(number += 1)}` })
  await using client = createKubeClient(withCredentials(server, next))

  await client.get('/api/v1/pods/a')
  await client.get('/api/v1/pods/a')

  expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
    'Bearer 1',
    'Bearer 2',
  ])
  expect(server.connections()).toBe(1)
})

test('closes a connection that nobody has used for long', async () => {
  await using server = await startPods()
  await using client = createKubeClient(server.connection, { idleMs: 50 })
  await client.get('/api/v1/pods/a')

  await server.openConnections(0)

  expect(await client.get('/api/v1/pods/a')).toEqual(POD)
})

test('uses no connection that was idle while the machine slept', async ({ onTestFinished }) => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  await using server = await startPods()
  await using client = createKubeClient(server.connection)
  await client.get('/api/v1/pods/a')
  vi.setSystemTime(Date.now() + 29_000)
  await client.get('/api/v1/pods/a')
  expect(server.connections()).toBe(1)

  vi.setSystemTime(Date.now() + 31_000)
  await client.get('/api/v1/pods/a')

  expect(server.connections()).toBe(2)
  await server.openConnections(1)
})

test('bears a slow answer for longer than an idle connection', async () => {
  const answer = Promise.withResolvers<void>()
  await using server = await startFakeApiServer(async ({ path }, response) => {
    if (path === '/slow') {
      await answer.promise
    }
    sendJson(response, POD)
  })
  await using client = createKubeClient(server.connection, { idleMs: 30 })
  const slow = client.get('/slow')
  await server.openConnections(1)
  await client.get('/quick')

  await server.openConnections(1)
  answer.resolve()

  expect(await slow).toEqual(POD)
  expect(server.connections()).toBe(2)
})

test.for(['certificateAuthority', 'certificate', 'key'] as const)(
  'says that the %s is none',
  async (field) => {
    await using server = await startPods()
    await using client = createKubeClient({ ...server.connection, [field]: 'no PEM' })

    await expect(client.get('/api/v1/pods/a')).rejects.toMatchObject({
      code: 'FAILED',
      message: expect.stringContaining(
        `cannot use the certificates for ${server.connection.server}`,
      ),
    })
  },
)

test('speaks to a server without TLS', async ({ onTestFinished }) => {
  const server = createServer((_, response) => sendJson(response, POD))
  const port = await listenOnLoopback(server)
  onTestFinished(() => void server.close())
  await using client = createKubeClient({ server: `http://127.0.0.1:${port}/base` })

  expect(await client.get('/api/v1/pods/a')).toEqual(POD)
  expect(await client.text('/readyz')).toMatchObject({ status: 200 })
})

function startPods(): Promise<FakeApiServer> {
  return startFakeApiServer((_, response) => sendJson(response, POD))
}

function withCredentials({ connection }: FakeApiServer, current: () => Credential): KubeConnection {
  return {
    ...connection,
    credentials: {
      current: () => Promise.resolve(current()),
      renew: () => Promise.resolve(false),
      denial: (refusal) => refusal,
    },
  }
}
