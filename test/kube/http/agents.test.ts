import { createServer } from 'node:http'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createKubeClient } from '../../../src/kube/client/client.ts'
import type { Credential, KubeConnection } from '../../../src/kube/connection.ts'
import type { Answerer, FakeApiServer } from '../../support/api/fake-api-server.ts'
import { listenOnLoopback } from '../../support/api/fake-api-server.ts'
import { sendJson, startFakeApiServer } from '../../support/api/fake-api-server.ts'
import { servedClient } from '../../support/api/served-client.ts'
import { createTestCertificates } from '../../support/test-certificates.ts'

const PATH = '/api/v1/pods/a'
const POD = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } }
const sendPod: Answerer = (_, response) => sendJson(response, POD)

test.for([
  ['localhost', true],
  ['127.0.0.1', true],
  ['kubernetes', false],
  ['10.0.0.1', false],
] as const)('wants a certificate for %s: %s', async ([serverName, isTrusted]) => {
  await using server = await startFakeApiServer(sendPod)
  const { port } = new URL(server.connection.server)
  for (const host of ['127.0.0.1', 'localhost']) {
    const connection = { ...server.connection, server: `https://${host}:${port}`, serverName }
    await using client = createKubeClient(connection)
    const pod = client.get(PATH)

    await (isTrusted
      ? expect(pod).resolves.toEqual(POD)
      : expect(pod).rejects.toThrow('its certificate is not trusted'))
  }
})

test('takes any certificate when it is told to', async () => {
  const { certificate } = createTestCertificates().authority
  const insecure = { certificateAuthority: certificate, isInsecure: true }
  const { client } = await servedClient(sendPod, {}, insecure)

  expect(await client.get(PATH)).toEqual(POD)
})

test('trusts the CAs of the machine where it is given none', async () => {
  const { client } = await servedClient(sendPod, {}, { certificateAuthority: undefined })

  await expect(client.get(PATH)).rejects.toThrow('its certificate is not trusted')
})

test('uses a new certificate at once, and no connection of the old one', async () => {
  await using server = await startFakeApiServer(sendPod)
  await using other = await startFakeApiServer(sendPod)
  const { server: _, ...own } = server.connection
  let credential: Credential = own
  await using client = createKubeClient(withCredentials(server, () => credential))
  const get = () => client.get(PATH)
  await Promise.all([get(), get()])
  await server.openConnections(2)

  credential = { certificateAuthority: other.connection.certificateAuthority }
  await expect(get()).rejects.toMatchObject({ code: 'UNREACHABLE' })
  credential = own
  await Promise.all([get(), get()])

  expect(server.requests.map(({ user }) => user)).toEqual(['tester', 'tester', 'tester', 'tester'])
  expect(server.connections()).toBe(5)
})

test('keeps the connection when only the token is new', async () => {
  await using server = await startFakeApiServer(sendPod)
  let number = 0
  const { certificate, key } = server.connection
  const next = () => ({ certificate, key, authorization: `Bearer ${(number += 1)}` })
  await using client = createKubeClient(withCredentials(server, next))

  await client.get(PATH)
  await client.get(PATH)

  const tokens = server.requests.map(({ headers }) => headers.authorization)
  expect(tokens).toEqual(['Bearer 1', 'Bearer 2'])
  expect(server.connections()).toBe(1)
})

test('closes a connection that nobody has used for long', async () => {
  const { client, server } = await servedClient(sendPod, { idleMs: 50 })
  await client.get(PATH)

  await server.openConnections(0)

  expect(await client.get(PATH)).toEqual(POD)
})

test('uses no connection that was idle while the machine slept', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const { client, server } = await servedClient(sendPod)
  await client.get(PATH)
  vi.setSystemTime(Date.now() + 29_000)
  await client.get(PATH)
  expect(server.connections()).toBe(1)

  vi.setSystemTime(Date.now() + 31_000)
  await client.get(PATH)

  expect(server.connections()).toBe(2)
  await server.openConnections(1)
})

test('bears a slow answer for longer than an idle connection', async () => {
  const answer = Promise.withResolvers<void>()
  const { client, server } = await servedClient(
    async ({ path }, response) => {
      if (path === '/slow') {
        await answer.promise
      }
      sendJson(response, POD)
    },
    { idleMs: 30 },
  )
  const slow = client.get('/slow')
  await server.openConnections(1)
  await client.get('/quick')

  await server.openConnections(1)
  answer.resolve()

  expect(await slow).toEqual(POD)
  expect(server.connections()).toBe(2)
})

test.for(['certificateAuthority', 'certificate', 'key'])(
  'says that the %s is none',
  async (field) => {
    const { client, server } = await servedClient(sendPod, {}, { [field]: 'no PEM' })

    const message = `cannot use the certificates for ${server.connection.server}`
    await expect(client.get(PATH)).rejects.toMatchObject({
      code: 'FAILED',
      message: expect.stringContaining(message),
    })
  },
)

test('speaks to a server without TLS', async () => {
  const server = createServer((_, response) => sendJson(response, POD))
  const port = await listenOnLoopback(server)
  onTestFinished(() => void server.close())
  await using client = createKubeClient({ server: `http://127.0.0.1:${port}/base` })

  expect(await client.get(PATH)).toEqual(POD)
  expect(await client.text('/readyz')).toMatchObject({ status: 200 })
})

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
