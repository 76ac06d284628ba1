import { connect, createServer } from 'node:net'
import { expect, test, vi } from 'vitest'
import { createKubeClient } from '../../../src/kube/client/client.ts'
import { httpStatusOf } from '../../../src/kube/kube-error.ts'
import type { Answerer } from '../../support/api/fake-api-server.ts'
import {
  listenOnLoopback,
  sendJson,
  sendStatus,
  startFakeApiServer,
} from '../../support/api/fake-api-server.ts'
import { createTestCertificates } from '../../support/test-certificates.ts'

const QUICK = { retryMs: 1, maxRetryMs: 50 }
const NODE = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'a' } }

test.for([
  [400, 'FAILED'],
  [401, 'FAILED'],
  [403, 'FAILED'],
  [404, 'NOT_FOUND'],
  [409, 'CONFLICT'],
  [410, 'FAILED'],
  [422, 'FAILED'],
  [429, 'UNREACHABLE'],
  [500, 'FAILED'],
  [503, 'UNREACHABLE'],
  [504, 'TIMED_OUT'],
] as const)('turns status %d into %s with the message of the server', async ([status, code]) => {
  await using server = await startFakeApiServer((_, response) =>
    sendStatus(response, status, { message: 'nodes "a" is not as it should be.' }),
  )
  await using client = createKubeClient(server.connection, QUICK)

  const error: unknown = await client.create('/api/v1/nodes', NODE).catch((error) => error)

  expect(error).toMatchObject({ code, message: 'nodes "a" is not as it should be' })
  expect(httpStatusOf(error)).toBe(status)
})

test('names the request and the beginning of the answer where there is no Status', async () => {
  await using server = await startFakeApiServer((_, response) => {
    response.writeHead(500).end('<html>\n\u001B[31mproxy\u0000 trouble</html>')
  })
  await using client = createKubeClient(server.connection, QUICK)

  await expect(client.get('/api/v1/nodes/a')).rejects.toThrow(
    /^GET \/api\/v1\/nodes\/a was answered with status 500: <html> \[31mproxy trouble<\/html>$/,
  )
})

test.for(['GET', 'PATCH', 'DELETE', 'POST'])(
  'sends %s again after the delay that a busy server names',
  async (method) => {
    const times: number[] = []
    await using server = await startFakeApiServer((_, response) => {
      times.push(performance.now())
      return times.length === 1
        ? sendStatus(response, 429, { headers: { 'retry-after': '0.08' } })
        : sendJson(response, NODE)
    })
    await using client = createKubeClient(server.connection, { retryMs: 1, maxRetryMs: 1000 })

    await send(client, method)

    expect(server.requests.map((request) => request.method)).toEqual([method, method])
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(70)
  },
)

test.for([
  ['GET', 2],
  ['PATCH', 2],
  ['DELETE', 2],
  ['POST', 1],
  ['PUT', 1],
  ['JSON patch', 1],
] as const)(
  'sends %s %d times when the server is not available at first',
  async ([method, count]) => {
    await using server = await startFakeApiServer(
      failFirst((_, response) => sendStatus(response, 503)),
    )
    await using client = createKubeClient(server.connection, QUICK)

    await send(client, method).catch(() => {})

    expect(server.requests).toHaveLength(count)
  },
)

test.for([
  ['GET', 2],
  ['PATCH', 2],
  ['POST', 1],
  ['PUT', 1],
  ['JSON patch', 1],
] as const)(
  'sends %s %d times when the connection breaks before the answer',
  async ([method, count]) => {
    await using server = await startFakeApiServer(
      failFirst((_, response) => void response.socket?.destroy()),
    )
    await using client = createKubeClient(server.connection, QUICK)

    const outcome = await send(client, method).then(
      () => 'fine',
      (error: unknown) => error,
    )

    expect(server.requests).toHaveLength(count)
    if (count === 1) {
      expect(outcome).toMatchObject({ code: 'UNREACHABLE' })
    }
  },
)

test('reads an answer again that breaks in its middle', async () => {
  await using server = await startFakeApiServer(
    failFirst((_, response) => {
      response.writeHead(200, { 'content-length': '1000' })
      response.write('{"kind":', () => response.socket?.destroy())
    }),
  )
  await using client = createKubeClient(server.connection, QUICK)

  expect(await client.get('/api/v1/nodes/a')).toEqual(NODE)
})

test('gives up after five attempts, however small the delay', async () => {
  await using server = await startFakeApiServer((_, response) =>
    sendStatus(response, 429, { headers: { 'retry-after': '0' } }),
  )
  await using client = createKubeClient(server.connection, QUICK)

  await expect(client.get('/api/v1/nodes/a')).rejects.toMatchObject({ code: 'UNREACHABLE' })
  expect(server.requests).toHaveLength(5)
})

test('waits no longer than it wants to, whatever the server names', async () => {
  await using server = await startFakeApiServer(
    failFirst((_, response) => sendStatus(response, 503, { headers: { 'retry-after': '3600' } })),
  )
  await using client = createKubeClient(server.connection, QUICK)

  expect(await client.get('/api/v1/nodes/a')).toEqual(NODE)
})

test('stops waiting for another attempt when the signal fires', async () => {
  await using server = await startFakeApiServer((_, response) =>
    sendStatus(response, 429, { headers: { 'retry-after': '9' } }),
  )
  await using client = createKubeClient(server.connection)
  const controller = new AbortController()
  const reason = new Error('enough')
  const answer = client.get('/api/v1/nodes/a', { signal: controller.signal })
  const failure = expect(answer).rejects.toBe(reason)
  await expect.poll(() => server.requests.length).toBe(1)

  controller.abort(reason)

  await failure
})

test('says at once that nothing listens', async () => {
  const server = await startFakeApiServer(() => {})
  await server[Symbol.asyncDispose]()
  await using client = createKubeClient(server.connection, { retryMs: 60_000 })

  const message = `cannot reach ${server.connection.server}: nothing listens there`
  await expect(client.get('/api/v1/nodes/a')).rejects.toMatchObject({
    code: 'UNREACHABLE',
    message,
  })
  await expect(client.text('/readyz')).rejects.toMatchObject({ code: 'UNREACHABLE', message })
})

test('says that a server is not the one it trusts', async () => {
  await using server = await startFakeApiServer(() => {})
  const { certificate } = createTestCertificates().authority
  await using client = createKubeClient({ ...server.connection, certificateAuthority: certificate })

  await expect(client.get('/api/v1/nodes/a')).rejects.toMatchObject({
    code: 'UNREACHABLE',
    message: expect.stringContaining('its certificate is not trusted'),
  })
  expect(server.requests).toEqual([])
})

test('trusts no other server when the environment switches the check off', async () => {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
  await using server = await startFakeApiServer(() => {})
  const { certificate } = createTestCertificates().authority
  await using client = createKubeClient({ ...server.connection, certificateAuthority: certificate })

  await expect(client.text('/readyz')).rejects.toMatchObject({ code: 'UNREACHABLE' })
  expect(server.requests).toEqual([])
})

test('says that what listens there does not speak TLS', async ({ onTestFinished }) => {
  const other = createServer((socket) => socket.end('220 mail.example ready\r\n'))
  const port = await listenOnLoopback(other)
  onTestFinished(() => void other.close())
  const { authority } = createTestCertificates()
  const server = `https://127.0.0.1:${port}`
  await using client = createKubeClient({ server, certificateAuthority: authority.certificate })

  await expect(client.text('/readyz')).rejects.toMatchObject({
    code: 'UNREACHABLE',
    message: expect.stringContaining('does not speak TLS'),
  })
})

test('gives up on a server that takes the request and says nothing', async () => {
  await using server = await startFakeApiServer(() => {})
  await using client = createKubeClient(server.connection, { silenceMs: 50 })

  await expect(client.get('/api/v1/nodes/a')).rejects.toMatchObject({
    code: 'TIMED_OUT',
    message: expect.stringContaining('silent for 0.05 s'),
  })
  await server.openConnections(0)
})

test('gives up on a listener that never shakes hands', async ({ onTestFinished }) => {
  const mute = createServer((socket) => socket.on('error', () => {}))
  const port = await listenOnLoopback(mute)
  onTestFinished(() => void mute.close())
  const { authority } = createTestCertificates()
  const server = `https://127.0.0.1:${port}`
  const connection = { server, certificateAuthority: authority.certificate }
  await using client = createKubeClient(connection, { connectMs: 50 })

  await expect(client.text('/readyz')).rejects.toMatchObject({ code: 'TIMED_OUT' })
})

test('connects again to a server that has answered and then lets a connection wait', async ({
  onTestFinished,
}) => {
  await using server = await startFakeApiServer((_, response) => {
    response.setHeader('connection', 'close')
    sendJson(response, NODE)
  })
  const { port } = new URL(server.connection.server)
  let connections = 0
  // The second one never shakes hands.
  const front = createServer((socket) => {
    connections += 1
    socket.on('error', () => {})
    if (connections !== 2) {
      const behind = connect(Number(port), '127.0.0.1').on('error', () => {})
      socket.pipe(behind).pipe(socket)
    }
  })
  const busy = `https://127.0.0.1:${await listenOnLoopback(front)}`
  onTestFinished(() => void front.close())
  const patience = { ...QUICK, connectMs: 2000 }
  await using client = createKubeClient({ ...server.connection, server: busy }, patience)

  await client.get('/api/v1/nodes/a')
  const created = await client.create('/api/v1/nodes', NODE)

  expect(created).toMatchObject({ kind: 'Node' })
  expect(connections).toBe(3)
})

test('refuses an answer that is not JSON', async () => {
  await using server = await startFakeApiServer((_, response) => void response.end('hello'))
  await using client = createKubeClient(server.connection)

  await expect(client.get('/api/v1/nodes/a')).rejects.toMatchObject({
    code: 'FAILED',
    message: expect.stringContaining('not JSON'),
  })
})

test.for(['[]', '1', 'null'])('refuses %s as an object', async (body) => {
  await using server = await startFakeApiServer((_, response) => void response.end(body))
  await using client = createKubeClient(server.connection)

  await expect(client.get('/api/v1/nodes/a')).rejects.toMatchObject({ code: 'FAILED' })
})

test('reads only the beginning of a plain text that has no end', async () => {
  await using server = await startFakeApiServer((_, response) => {
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536))) {
        // The socket still takes some.
      }
    }
    response.on('drain', more)
    more()
  })
  await using client = createKubeClient(server.connection)

  const { body } = await client.text('/logs')

  expect(body).toHaveLength(1024 * 1024)
  await server.openConnections(0)
})

/** Fails the first request, and answers all others with a node. */
function failFirst(fail: Answerer): Answerer {
  let count = 0
  return (request, response) => {
    count += 1
    return count === 1 ? fail(request, response) : sendJson(response, NODE)
  }
}

async function send(client: ReturnType<typeof createKubeClient>, method: string): Promise<unknown> {
  switch (method) {
    case 'POST':
      return client.create('/api/v1/nodes', NODE)
    case 'PUT':
      return client.replace('/api/v1/nodes/a', NODE)
    case 'JSON patch':
      return client.patch('/api/v1/nodes/a', [], { type: 'json' })
    case 'PATCH':
      return client.apply('/api/v1/nodes/a', NODE)
    case 'DELETE':
      return client.delete('/api/v1/nodes/a')
    default:
      return client.get('/api/v1/nodes/a')
  }
}
