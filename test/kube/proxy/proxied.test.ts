import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createKubeClient } from '../../../src/kube/client/client.ts'
import type { Patience } from '../../../src/kube/connection.ts'
import { type FakeApiServer, sendJson } from '../../support/api/fake-api-server.ts'
import { startFakeApiServer } from '../../support/api/fake-api-server.ts'
import { forwardTo, startForwards } from '../../support/api/fake-forwards.ts'
import type { FakeProxy, FakeProxyOptions } from '../../support/api/fake-proxy.ts'
import { startFakeProxy } from '../../support/api/fake-proxy.ts'
import { endsWithTest } from '../../support/ends-with-test.ts'
import { rejectionOf } from '../../support/thrown-by.ts'

const PATH = '/api/v1/pods/a'
const POD = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } }
const KINDS = ['http', 'https', 'socks5'] as const

test.for(KINDS)('keeps one connection through %s, past the time to connect', async (kind) => {
  const { client, proxy, server } = await proxied({ kind }, { connectMs: 3000 })

  for (let index = 0; index < 5; index += 1) {
    expect(await client.get(PATH)).toEqual(POD)
  }
  await delay(3100)

  expect(await client.get(PATH)).toEqual(POD)
  // The proxy looks the name up.
  expect(proxy.targets).toEqual([`api.example.com:${portOf(server)}`])
  expect(server.requests[0]?.user).toBe('tester')
  expect(server.connections()).toBe(1)
})

test.for(KINDS)('makes many connections at once through %s', async (kind) => {
  const { client, server } = await proxied({ kind })

  const pods = await Promise.all(Array.from({ length: 20 }, () => client.get(PATH)))

  expect(pods).toHaveLength(20)
  expect(server.connections()).toBe(20)
})

test.for(KINDS)('forwards through a proxy of %s', async (kind) => {
  await using server = await startForwards()
  await using proxy = await startFakeProxy({ kind, port: portOf(server) })
  await using stream = await forwardTo({ ...server, connection: behind(server, proxy) })

  stream.write('hello')

  for await (const chunk of stream as AsyncIterable<Buffer>) {
    expect(String(chunk)).toBe('HELLO')
    break
  }
})

test.for(KINDS)('logs in to a proxy of %s', async (kind) => {
  const { client, proxy } = await proxied({ kind, password: 'pa:ss@' })

  await client.get(PATH)

  const login = kind === 'socks5' ? 'jo:pa:ss@' : `Basic ${btoa('jo:pa:ss@')}`
  expect(proxy.logins).toEqual([login])
})

test.for([
  ['http', 407, 'it answered 407 Refused'],
  ['https', 503, 'it answered 503 Refused'],
  ['socks5', 5, 'Socks5 proxy rejected connection - ConnectionRefused'],
  ['socks5', 200, 'Socks5 proxy rejected connection'],
] as const)('says that a proxy of %s refused with %d', async ([kind, refusal, why]) => {
  const { client, proxy } = await proxied({ kind, refusal, password: 'hunter2' })

  const error = await rejectionOf(client.get(PATH))

  expect(error.code).toBe('UNREACHABLE')
  expect(error.message).toContain(`the proxy ${kind}://${proxy.url.host} on the way: ${why}`)
  expect(error.message).not.toContain('hunter2')
})

test('says that a proxy refused the password', async () => {
  const { client } = await proxied({ kind: 'socks5', password: 'wrong' })

  await expect(client.get(PATH)).rejects.toThrow('Socks5 Authentication failed')
})

test.for(KINDS)('leaves no connection to a proxy of %s that never answers', async (kind) => {
  const { client, proxy } = await proxied({ kind, isMute: true }, { connectMs: 100 })

  await expect(client.get(PATH)).rejects.toMatchObject({ code: 'TIMED_OUT' })

  await expect.poll(() => proxy.openConnections()).toBe(0)
})

test.for(KINDS)('leaves no connection to a proxy of %s when it is disposed', async (kind) => {
  const { client, proxy } = await proxied({ kind, isMute: true })
  const failure = expect(client.get(PATH)).rejects.toMatchObject({ code: 'ABORTED' })
  await expect.poll(() => proxy.openConnections()).toBe(1)

  await client[Symbol.asyncDispose]()

  await failure
  await expect.poll(() => proxy.openConnections()).toBe(0)
})

test.for(KINDS)('says that there is no proxy of %s', async (kind) => {
  const { client, proxy } = await proxied({ kind })
  await proxy[Symbol.asyncDispose]()

  await expect(client.get(PATH)).rejects.toMatchObject({
    code: 'UNREACHABLE',
    message: expect.stringContaining(`the proxy ${kind}://${proxy.url.host} on the way: `),
  })
})

test('asks a proxy for addresses of both kinds', async () => {
  const { proxy, server } = await proxied({ kind: 'socks5' })
  for (const host of ['10.1.2.3', '[fd00::1:10.0.0.1]']) {
    const connection = { ...behind(server, proxy), server: `https://${host}:6443` }
    await using client = createKubeClient(connection)
    await client.get(PATH)
  }

  expect(proxy.targets).toEqual(['10.1.2.3:6443', 'fd00:0000:0000:0000:0000:0001:0a00:0001:6443'])
})

test.for(['http', 'socks5'] as const)('reaches a server without TLS through %s', async (kind) => {
  const { proxy, server } = await proxied({ kind })
  const connection = { ...behind(server, proxy), server: 'http://api.example.com' }
  await using client = createKubeClient(connection, { retryMs: 1 })

  // What listens there wants TLS: that it heard from us is all that there is to see.
  await expect(client.get(PATH)).rejects.toMatchObject({ code: 'UNREACHABLE' })

  expect(proxy.targets).toContain('api.example.com:80')
})

/** A client of a server of pods behind a proxy, to which it logs in as "jo" with the password. */
async function proxied(
  { password, ...options }: Omit<FakeProxyOptions, 'port'> & { password?: string },
  patience: Partial<Patience> = {},
) {
  const server = endsWithTest(await startFakeApiServer((_, response) => sendJson(response, POD)))
  const proxy = endsWithTest(await startFakeProxy({ ...options, port: portOf(server) }))
  if (password !== undefined) {
    Object.assign(proxy.url, { username: 'jo', password })
  }
  return { client: endsWithTest(createKubeClient(behind(server, proxy), patience)), proxy, server }
}

function portOf({ connection }: FakeApiServer): number {
  return Number(new URL(connection.server).port)
}

/** A connection by a name that only the proxy knows. */
function behind(server: FakeApiServer, { certificateAuthority, url }: FakeProxy) {
  return {
    ...server.connection,
    server: `https://api.example.com:${portOf(server)}`,
    serverName: 'localhost',
    certificateAuthority: server.connection.certificateAuthority + certificateAuthority,
    proxy: url,
  }
}
