import { once } from 'node:events'
import { request as httpRequest, type RequestOptions, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { type PlaneProxy, startProxy } from '../../../src/tunnel/proxy/start-proxy.ts'
import type { Answerer, FakeApiServerOptions } from '../../support/api/fake-api-server.ts'
import type { Upgrader } from '../../support/api/fake-api-server.ts'
import { sendJson, sendStatus, startFakeApiServer } from '../../support/api/fake-api-server.ts'
import { endsWithTest } from '../../support/ends-with-test.ts'
import { createTestCertificates } from '../../support/test-certificates.ts'

const PODS = '/api/v1/namespaces/default/pods'

test('forwards requests with the credentials of the plane', async () => {
  const { proxy, server } = await proxied((request, response) =>
    sendJson(response, { kind: 'Pod', saw: request.body }, 201),
  )

  const answer = await ask(proxy, { method: 'POST', path: `${PODS}?dryRun=All` }, '{"kind":"Pod"}')

  expect(answer).toMatchObject({ status: 201, body: '{"kind":"Pod","saw":{"kind":"Pod"}}' })
  const { host } = new URL(server.connection.server)
  const query = { dryRun: 'All' }
  expect(server.requests).toMatchObject([
    { method: 'POST', path: PODS, query, user: 'tester', headers: { host } },
  ])
  expect(server.requests[0]?.headers).not.toHaveProperty('authorization')
})

test('reuses connections to the plane', async () => {
  const { proxy, server } = await proxied()

  for (let count = 0; count < 5; count += 1) {
    await ask(proxy, { path: '/version' })
  }

  expect(server.connections()).toBe(1)
})

describe('a proxy that runs for longer than its credential lives', () => {
  const HOUR_MS = 3_600_000
  const at = (hours: number) => new Date(hours * HOUR_MS)

  test('opens new connections with a new credential, and keeps open ones', async () => {
    const events: ServerResponse[] = []
    await using server = await startFakeApiServer(({ path }, response) => {
      if (path === PODS) {
        response.writeHead(200).write('first ')
        events.push(response)
      } else {
        sendJson(response, {})
      }
    })
    let now = at(0)
    let renewals = 0
    await using proxy = await startProxy({
      access: { ...server.connection, expiresAt: at(24) },
      now: () => now,
      renew: () => {
        renewals += 1
        return Promise.resolve({ ...server.connectionAs('renewed'), expiresAt: at(44) })
      },
    })
    const watching = ask(proxy, { path: PODS })
    await expect.poll(() => events.length).toBe(1)
    await ask(proxy, { path: '/version' })
    now = at(20)

    await Promise.all([1, 2, 3].map(() => ask(proxy, { path: '/version' })))
    events.forEach((response) => response.end('last'))

    const users = server.requests.map(({ user }) => user)
    expect(users).toEqual(['tester', 'tester', 'renewed', 'renewed', 'renewed'])
    expect(renewals).toBe(1)
    expect((await watching).body).toBe('first last')
  })

  test('uses its credential without a new one, and reports the reason when it has expired', async () => {
    await using server = await startFakeApiServer((_, response) => sendJson(response, {}))
    let now = at(20)
    await using proxy = await startProxy({
      access: { ...server.connection, expiresAt: at(24) },
      now: () => now,
      renew: () => Promise.reject(new Error('the host is away')),
    })

    const early = await ask(proxy, { path: '/version' })
    now = at(24)
    const late = await ask(proxy, { path: '/version' })

    expect([early.status, late.status]).toEqual([200, 502])
    expect(late.body).toContain('the host is away')
  })
})

test('forwards refusals of the plane unchanged', async () => {
  const { proxy } = await proxied((_, response) =>
    sendStatus(response, 403, { message: 'pods is forbidden' }),
  )

  const { body, status } = await ask(proxy, { path: PODS })

  expect([status, JSON.parse(body).message]).toEqual([403, 'pods is forbidden'])
})

test('requires the token, with an error that clients of Kubernetes show', async () => {
  const { proxy, server } = await proxied()

  const { body, status } = await ask(proxy, { path: '/version', headers: { authorization: 'x' } })

  expect(status).toBe(401)
  expect(JSON.parse(body)).toMatchObject({ kind: 'Status', code: 401 })
  expect(server.requests).toEqual([])
})

test.for(['//', '///', '/\\', '//['])(
  'refuses "%s" from any client, and continues',
  async (path) => {
    const { proxy } = await proxied()
    const host = `Host: 127.0.0.1:${proxy.port}`
    const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket'
    const known = `Authorization: Bearer ${proxy.token}`

    const answers = []
    for (const headers of [[host], [host, upgrade], [host, known], [host, known, upgrade]]) {
      const socket = connect(proxy.port, '127.0.0.1')
      socket.write(`GET ${path} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`)
      const [chunk] = await once(socket, 'data')
      socket.destroy()
      answers.push(String(chunk).split(' ')[1])
    }

    expect(answers).toEqual(['400', '400', '400', '400'])
    expect((await ask(proxy, { path: '/version' })).status).toBe(200)
  },
)

test('admits a browser by its address, and then by a cookie', async () => {
  const { proxy } = await proxied((_, response) => sendJson(response, { ok: true }))
  const { host, pathname, search } = new URL(proxy.url)

  const first = await ask(proxy, { path: pathname + search, headers: { host } })
  const cookie = String(first.headers['set-cookie']).split(';')[0]
  const second = await ask(proxy, { path: '/version', headers: { host, cookie } })

  expect(first).toMatchObject({ status: 303, headers: { location: '/' } })
  expect(second).toMatchObject({ status: 200, body: '{"ok":true}' })
})

test('begins to answer a watch before its first event, and continues for long', async () => {
  const { promise, resolve } = Promise.withResolvers<(line: string) => void>()
  const { proxy, server } = await proxied((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders()
    resolve((line) => response.write(line))
  })

  const request = send(proxy, { path: `${PODS}?watch=1` })
  request.end()
  const [response] = await once(request, 'response')
  const say = await promise
  say('{"type":"ADDED"}\n')
  const [chunk] = await once(response, 'data')

  expect(String(chunk)).toBe('{"type":"ADDED"}\n')
  request.destroy()
  await server.openConnections(0)
})

test('reports that the plane cannot be reached', async () => {
  const { proxy, server } = await proxied()
  await server[Symbol.asyncDispose]()

  const { body, status } = await ask(proxy, { path: '/version' })

  expect(status).toBe(502)
  expect(JSON.parse(body).message).toMatch(/^cannot reach the control plane: .*ECONNREFUSED/)
})

test('does not accept another server as the plane', async () => {
  await using server = await startFakeApiServer((_, response) => sendJson(response, {}))
  const { certificate } = createTestCertificates().authority
  await using proxy = await startProxy({
    access: { ...server.connection, certificateAuthority: certificate },
  })

  expect((await ask(proxy, { path: '/version' })).status).toBe(502)
  expect(server.requests).toEqual([])
})

test('carries websockets both ways', async () => {
  const { proxy } = await proxiedEcho()

  const websocket = openWebsocket(proxy)
  await once(websocket, 'open')
  websocket.send('hello')
  const [message] = await once(websocket, 'message')

  expect(String(message)).toBe('hello')
  expect(websocket.protocol).toBe('v5.channel.k8s.io')
  websocket.close()
  await once(websocket, 'close')
})

test('carries other protocols that a request changes to, as older kubectls do', async () => {
  const { proxy } = await proxiedEcho()
  const client = execOverSpdy(proxy)
  const [head] = await once(client, 'data')
  client.end('over spdy')

  expect(String(head)).toMatch(/^HTTP\/1\.1 101 /)
  expect(String(head)).toMatch(/upgrade: SPDY\/3\.1\r\n/i)
  expect(await text(client)).toBe('over spdy')
})

test('loses nothing of a server that has ended when the client sends before it has read all', async () => {
  // More than the client's kernel takes while nothing is read there.
  const all = Buffer.alloc(1024 * 1024, 'x')
  const { proxy } = await proxied(() => {}, {
    onUpgrade: (_, socket) => {
      socket.on('error', () => {})
      socket.write(SWITCHED)
      socket.end(all)
    },
  })
  const client = execOverSpdy(proxy)

  await once(client, 'readable')
  await delay(50)
  client.write('ping')
  await delay(50)

  expect(await text(client)).toHaveLength(SWITCHED.length + all.length)
})

test.for([
  ['the token', { authorization: 'Bearer wrong' }, 401],
  ['a page of its own', { origin: 'http://evil.example' }, 403],
] as const)('carries no websocket without %s', async ([, headers, status]) => {
  const { proxy, server } = await proxiedEcho()

  const websocket = openWebsocket(proxy, headers)
  const [, response] = await once(websocket, 'unexpected-response')

  expect(response.statusCode).toBe(status)
  expect(server.connections()).toBe(0)
  websocket.terminate()
})

test('forwards the refusal of the plane to change the protocol', async () => {
  const { proxy } = await proxied((_, response) =>
    sendStatus(response, 404, { message: 'pods "a" not found' }),
  )

  const websocket = openWebsocket(proxy)
  const [, response] = await once(websocket, 'unexpected-response')

  expect(response.statusCode).toBe(404)
  expect(JSON.parse(await text(response)).message).toBe('pods "a" not found')
  websocket.terminate()
})

test('leaves nothing open after clients that close their connection', async () => {
  const { proxy, server } = await proxiedEcho()
  const websockets = Array.from({ length: 50 }, () => openWebsocket(proxy))
  await Promise.all(websockets.map((websocket) => once(websocket, 'open')))

  websockets.forEach((websocket) => websocket.terminate())

  await server.openConnections(0)
})

test('ends all connections when it is disposed', async () => {
  const { proxy, server } = await proxiedEcho()
  const websocket = openWebsocket(proxy)
  await once(websocket, 'open')

  await proxy[Symbol.asyncDispose]()

  await once(websocket, 'close')
  await server.openConnections(0)
})

test('says that another program has its port', async () => {
  const { proxy, server } = await proxied()

  const second = startProxy({ access: server.connection, port: proxy.port })

  const message = `another program listens on 127.0.0.1:${proxy.port}`
  await expect(second).rejects.toMatchObject({ code: 'FAILED', message })
})

function send({ port, token }: PlaneProxy, options: RequestOptions) {
  const headers = { authorization: `Bearer ${token}` }
  const request = httpRequest({ host: '127.0.0.1', port, agent: false, headers, ...options })
  request.on('error', () => {})
  return request
}

async function ask(proxy: PlaneProxy, options: RequestOptions, sent?: string) {
  const request = send(proxy, options)
  request.end(sent)
  const [response] = await once(request, 'response')
  return { status: response.statusCode, body: await text(response), headers: response.headers }
}

function openWebsocket({ port, token }: PlaneProxy, headers: object = {}): WebSocket {
  const url = `ws://127.0.0.1:${port}${PODS}/a/exec?command=sh`
  const options = { headers: { authorization: `Bearer ${token}`, ...headers } }
  const websocket = new WebSocket(url, 'v5.channel.k8s.io', options)
  websocket.on('error', () => {})
  return websocket
}

/** A proxy to an API server, which end with the test. */
async function proxied(
  answer: Answerer = (_, response) => sendJson(response, {}),
  options: FakeApiServerOptions = {},
) {
  const server = endsWithTest(await startFakeApiServer(answer, options))
  return { proxy: endsWithTest(await startProxy({ access: server.connection })), server }
}

const SWITCHED =
  'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n'

/** A client that requests a stream of a pod as older kubectls do. */
function execOverSpdy({ port, token }: PlaneProxy): Socket {
  const client = connect(port, '127.0.0.1')
  const known = `Host: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}`
  const upgrade = 'Connection: Upgrade\r\nUpgrade: SPDY/3.1\r\nContent-Length: 0'
  client.write(`POST ${PODS}/a/exec HTTP/1.1\r\n${known}\r\n${upgrade}\r\n\r\n`)
  return client
}

/** A proxy to a server that sends back what it gets over websockets and SPDY. */
function proxiedEcho() {
  const websockets = new WebSocketServer({ noServer: true })
  const onUpgrade: Upgrader = (request, socket, head) => {
    socket.on('error', () => {})
    if (request.headers.upgrade === 'SPDY/3.1') {
      socket.write(SWITCHED)
      socket.pipe(socket)
    } else {
      websockets.handleUpgrade(request, socket, head, (websocket) => {
        websocket.on('error', () => {})
        websocket.on('message', (data) => websocket.send(data))
      })
    }
  }
  return proxied(() => {}, { onUpgrade })
}
