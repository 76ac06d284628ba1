import { expect, test } from 'vitest'
import { createKubeClient } from '../../../src/kube/client/client.ts'
import { waitFor } from '../../../src/shared/wait.ts'
import type { FakeApiServer } from '../../support/api/fake-api-server.ts'
import { sendJson, startFakeApiServer } from '../../support/api/fake-api-server.ts'
import { forwardTo, startForwards } from '../../support/api/fake-forwards.ts'
import { type FakeProxy, startFakeProxy } from '../../support/api/fake-proxy.ts'
import { rejectionOf } from '../../support/thrown-by.ts'

const POD = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } }
const KINDS = ['http', 'https', 'socks5'] as const

test.for(KINDS)(
  'keeps one connection through a proxy of %s, which looks the name up',
  async (kind) => {
    await using server = await startPods()
    await using proxy = await startFakeProxy({ kind, port: portOf(server) })
    await using client = createKubeClient(behind(server, proxy), { connectMs: 3000 })

    for (let index = 0; index < 5; index += 1) {
      expect(await client.get('/api/v1/pods/a')).toEqual(POD)
    }

    expect(proxy.targets).toEqual([`api.example.com:${portOf(server)}`])
    expect(server.requests[0]?.user).toBe('tester')
    expect(server.connections()).toBe(1)
  },
)

test.for(KINDS)('keeps it when the time is over that there was for %s', async (kind) => {
  await using server = await startPods()
  await using proxy = await startFakeProxy({ kind, port: portOf(server) })
  await using client = createKubeClient(behind(server, proxy), { connectMs: 3000 })
  await client.get('/api/v1/pods/a')
  const startedAt = performance.now()

  await waitFor(() => Promise.resolve(performance.now() - startedAt > 3100), {
    what: 'the time to be over',
    timeoutMs: 15_000,
  })

  expect(await client.get('/api/v1/pods/a')).toEqual(POD)
  expect(server.connections()).toBe(1)
})

test.for(KINDS)('makes many connections at once through %s', async (kind) => {
  await using server = await startPods()
  await using proxy = await startFakeProxy({ kind, port: portOf(server) })
  await using client = createKubeClient(behind(server, proxy))

  const pods = await Promise.all(Array.from({ length: 20 }, () => client.get('/api/v1/pods/a')))

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
  await using server = await startPods()
  await using proxy = await startFakeProxy({ kind, port: portOf(server) })
  proxy.url.username = 'jo'
  proxy.url.password = 'pa:ss@'
  await using client = createKubeClient(behind(server, proxy))

  await client.get('/api/v1/pods/a')

  const login = kind === 'socks5' ? 'jo:pa:ss@' : `Basic ${btoa('jo:pa:ss@')}`
  expect(proxy.logins).toEqual([login])
})

test.for([
  ['http', 407, 'it answered 407 Refused'],
  ['https', 503, 'it answered 503 Refused'],
  ['socks5', 5, 'Socks5 proxy rejected connection - ConnectionRefused'],
  ['socks5', 200, 'Socks5 proxy rejected connection'],
] as const)('says that a proxy of %s refused with %d', async ([kind, refusal, why]) => {
  await using server = await startPods()
  await using proxy = await startFakeProxy({ kind, port: portOf(server), refusal })
  await using client = createKubeClient(behind(server, proxy))
  proxy.url.username = 'jo'
  proxy.url.password = 'hunter2'

  const error = await rejectionOf(client.get('/api/v1/pods/a'))

  expect(error.code).toBe('UNREACHABLE')
  expect(error.message).toContain(`the proxy ${kind}://${proxy.url.host} on the way: ${why}`)
  expect(error.message).not.toContain('hunter2')
})

test('says that a proxy refused the password', async () => {
  await using server = await startPods()
  await using proxy = await startFakeProxy({ kind: 'socks5', port: portOf(server) })
  proxy.url.username = 'jo'
  proxy.url.password = 'wrong'
  await using client = createKubeClient(behind(server, proxy))

  await expect(client.get('/api/v1/pods/a')).rejects.toThrow('Socks5 Authentication failed')
})

test.for(KINDS)('leaves no connection to a proxy of %s that never answers', async (kind) => {
  await using server = await startPods()
  await using proxy = await startFakeProxy({ kind, port: portOf(server), isMute: true })
  await using client = createKubeClient(behind(server, proxy), { connectMs: 100 })

  await expect(client.get('/api/v1/pods/a')).rejects.toMatchObject({ code: 'TIMED_OUT' })

  await noneOpen(proxy)
})

test.for(KINDS)('leaves no connection to a proxy of %s when it is disposed', async (kind) => {
  await using server = await startPods()
  await using proxy = await startFakeProxy({ kind, port: portOf(server), isMute: true })
  const client = createKubeClient(behind(server, proxy))
  const failure = expect(client.get('/api/v1/pods/a')).rejects.toMatchObject({ code: 'ABORTED' })
  await expect.poll(() => proxy.openConnections()).toBe(1)

  await client[Symbol.asyncDispose]()

  await failure
  await noneOpen(proxy)
})

test.for(KINDS)('says that there is no proxy of %s', async (kind) => {
  await using server = await startPods()
  const proxy = await startFakeProxy({ kind, port: portOf(server) })
  await proxy[Symbol.asyncDispose]()
  await using client = createKubeClient(behind(server, proxy))

  await expect(client.get('/api/v1/pods/a')).rejects.toMatchObject({
    code: 'UNREACHABLE',
    message: expect.stringContaining(`the proxy ${kind}://${proxy.url.host} on the way: `),
  })
})

test('asks a proxy for addresses of both kinds', async () => {
  await using server = await startPods()
  await using proxy = await startFakeProxy({ kind: 'socks5', port: portOf(server) })
  const hosts = ['10.1.2.3', '[fd00::1:10.0.0.1]']
  for (const host of hosts) {
    const connection = { ...behind(server, proxy), server: `https://${host}:6443` }
    await using client = createKubeClient(connection)
    await client.get('/api/v1/pods/a')
  }

  expect(proxy.targets).toEqual(['10.1.2.3:6443', 'fd00:0000:0000:0000:0000:0001:0a00:0001:6443'])
})

test.for(['http', 'socks5'] as const)('reaches a server without TLS through %s', async (kind) => {
  await using server = await startPods()
  await using proxy = await startFakeProxy({ kind, port: portOf(server) })
  const plain = behind(server, proxy)
  const connection = { ...plain, server: 'http://api.example.com' }
  await using client = createKubeClient(connection, { retryMs: 1 })

  // What listens there wants TLS: that it heard from us is all that there is to see.
  await expect(client.get('/api/v1/pods/a')).rejects.toMatchObject({ code: 'UNREACHABLE' })

  expect(proxy.targets).toContain('api.example.com:80')
})

function startPods(): Promise<FakeApiServer> {
  return startFakeApiServer((_, response) => sendJson(response, POD))
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

async function noneOpen(proxy: FakeProxy): Promise<void> {
  await waitFor(() => Promise.resolve(proxy.openConnections() === 0), {
    what: 'the connections to the proxy to close',
    timeoutMs: 5000,
    intervalMs: 5,
  })
}
