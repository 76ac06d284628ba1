import { connect, createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { KubeClient } from '../../../src/kube/client/client.ts'
import { httpStatusOf } from '../../../src/kube/kube-error.ts'
import { type Answerer, listenOnLoopback } from '../../support/api/fake-api-server.ts'
import { sendJson, sendStatus } from '../../support/api/fake-api-server.ts'
import { servedClient } from '../../support/api/served-client.ts'
import { createTestCertificates } from '../../support/test-certificates.ts'

const PATH = '/api/v1/nodes/a'
const NODE = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'a' } }

const sendNode: Answerer = (_, response) => sendJson(response, NODE)
const unavailable: Answerer = (_, response) => sendStatus(response, 503)
const broken: Answerer = (_, response) => void response.socket?.destroy()

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
  const { client } = await servedClient((_, response) =>
    sendStatus(response, status, { message: 'nodes "a" is not as it should be.' }),
  )

  const error: unknown = await client.create('/api/v1/nodes', NODE).catch((error) => error)

  expect(error).toMatchObject({ code, message: 'nodes "a" is not as it should be' })
  expect(httpStatusOf(error)).toBe(status)
})

test('names the request and the beginning of the answer where there is no Status', async () => {
  const { client } = await servedClient((_, response) => {
    response.writeHead(500).end('<html>\n\u001B[31mproxy\u0000 trouble</html>')
  })

  await expect(client.get(PATH)).rejects.toThrow(
    /^GET \/api\/v1\/nodes\/a was answered with status 500: <html> \[31mproxy trouble<\/html>$/,
  )
})

test.for(['GET', 'PATCH', 'DELETE', 'POST'])(
  'sends %s again after the named delay',
  async (method) => {
    const times: number[] = []
    const { client, server } = await servedClient(
      (request, response) => {
        times.push(performance.now())
        return (times.length === 1 ? busyFor('0.08') : sendNode)(request, response)
      },
      { maxRetryMs: 1000 },
    )

    await send(client, method)

    expect(server.requests.map((request) => request.method)).toEqual([method, method])
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(70)
  },
)

test.for([
  ['GET', 2, 'the server is not available at first', unavailable],
  ['PATCH', 2, 'the server is not available at first', unavailable],
  ['DELETE', 2, 'the server is not available at first', unavailable],
  ['POST', 1, 'the server is not available at first', unavailable],
  ['PUT', 1, 'the server is not available at first', unavailable],
  ['JSON patch', 1, 'the server is not available at first', unavailable],
  ['GET', 2, 'the connection breaks before the answer', broken],
  ['PATCH', 2, 'the connection breaks before the answer', broken],
  ['POST', 1, 'the connection breaks before the answer', broken],
  ['PUT', 1, 'the connection breaks before the answer', broken],
  ['JSON patch', 1, 'the connection breaks before the answer', broken],
] as const)('sends %s %d times when %s', async ([method, count, , fail]) => {
  const { client, server } = await servedClient(failFirst(fail))

  const outcome = await send(client, method).catch((error: unknown) => error)

  expect(server.requests).toHaveLength(count)
  if (count === 1) {
    expect(outcome).toMatchObject({ code: 'UNREACHABLE' })
  }
})

test('reads an answer again that breaks in its middle', async () => {
  const { client } = await servedClient(
    failFirst((_, response) => {
      response.writeHead(200, { 'content-length': '1000' })
      response.write('{"kind":', () => response.socket?.destroy())
    }),
  )

  expect(await client.get(PATH)).toEqual(NODE)
})

test('gives up after five attempts, however small the delay', async () => {
  const { client, server } = await servedClient(busyFor('0'))

  await expect(client.get(PATH)).rejects.toMatchObject({ code: 'UNREACHABLE' })
  expect(server.requests).toHaveLength(5)
})

test('waits no longer than it wants to, whatever the server names', async () => {
  const { client } = await servedClient(failFirst(busyFor('3600', 503)))

  expect(await client.get(PATH)).toEqual(NODE)
})

test('stops waiting for another attempt when the signal fires', async () => {
  const { client, server } = await servedClient(busyFor('9'), { maxRetryMs: 10_000 })
  const controller = new AbortController()
  const reason = new Error('enough')
  const failure = expect(client.get(PATH, controller)).rejects.toBe(reason)
  await expect.poll(() => server.requests.length).toBe(1)

  controller.abort(reason)

  await failure
})

test('says at once that nothing listens', async () => {
  const { client, server } = await servedClient(() => {}, { retryMs: 60_000 })
  await server[Symbol.asyncDispose]()

  const message = `cannot reach ${server.connection.server}: nothing listens there`
  await expect(client.get(PATH)).rejects.toMatchObject({ code: 'UNREACHABLE', message })
  await expect(client.text('/readyz')).rejects.toMatchObject({ code: 'UNREACHABLE', message })
})

test.for([
  ['always', undefined],
  ['also when the environment switches the check off', '0'],
] as const)('says that a server is not the one it trusts, %s', async ([, value]) => {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', value)
  const { certificate } = createTestCertificates().authority
  const { client, server } = await servedClient(() => {}, {}, { certificateAuthority: certificate })

  await expect(client.get(PATH)).rejects.toMatchObject({
    code: 'UNREACHABLE',
    message: expect.stringContaining('its certificate is not trusted'),
  })
  expect(server.requests).toEqual([])
})

test('says that what listens there does not speak TLS', async () => {
  const server = await listening((socket) => socket.end('220 mail.example ready\r\n'))
  const { client } = await servedClient(() => {}, {}, { server })

  await expect(client.text('/readyz')).rejects.toMatchObject({
    code: 'UNREACHABLE',
    message: expect.stringContaining('does not speak TLS'),
  })
})

test('gives up on a server that takes the request and says nothing', async () => {
  const { client, server } = await servedClient(() => {}, { silenceMs: 50 })

  await expect(client.get(PATH)).rejects.toMatchObject({
    code: 'TIMED_OUT',
    message: expect.stringContaining('silent for 0.05 s'),
  })
  await server.openConnections(0)
})

test('gives up on a listener that never shakes hands', async () => {
  const server = await listening((socket) => socket.on('error', () => {}))
  const { client } = await servedClient(() => {}, { connectMs: 50 }, { server })

  await expect(client.text('/readyz')).rejects.toMatchObject({ code: 'TIMED_OUT' })
})

test('connects again to a server that has answered and then lets a connection wait', async () => {
  let behind = 0
  let connections = 0
  // The second one never shakes hands.
  const server = await listening((socket) => {
    connections += 1
    socket.on('error', () => {})
    if (connections !== 2) {
      socket.pipe(connect(behind, '127.0.0.1').on('error', () => {})).pipe(socket)
    }
  })
  const closing: Answerer = (request, response) => {
    response.setHeader('connection', 'close')
    return sendNode(request, response)
  }
  const served = await servedClient(closing, { connectMs: 2000 }, { server })
  behind = Number(new URL(served.server.connection.server).port)

  await served.client.get(PATH)
  const created = await served.client.create('/api/v1/nodes', NODE)

  expect(created).toMatchObject({ kind: 'Node' })
  expect(connections).toBe(3)
})

test('refuses an answer that is not JSON', async () => {
  const { client } = await servedClient((_, response) => void response.end('hello'))

  await expect(client.get(PATH)).rejects.toMatchObject({
    code: 'FAILED',
    message: expect.stringContaining('not JSON'),
  })
})

test.for(['[]', '1', 'null'])('refuses %s as an object', async (body) => {
  const { client } = await servedClient((_, response) => void response.end(body))

  await expect(client.get(PATH)).rejects.toMatchObject({ code: 'FAILED' })
})

test('reads only the beginning of a plain text that has no end', async () => {
  const { client, server } = await servedClient((_, response) => {
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536))) {
        // The socket still takes some.
      }
    }
    response.on('drain', more)
    more()
  })

  const { body } = await client.text('/logs')

  expect(body).toHaveLength(1024 * 1024)
  await server.openConnections(0)
})

/** Fails the first request, and answers all others with a node. */
function failFirst(fail: Answerer): Answerer {
  let count = 0
  return (request, response) => {
    count += 1
    return (count === 1 ? fail : sendNode)(request, response)
  }
}

/** Refuses for so many seconds. */
function busyFor(seconds: string, status = 429): Answerer {
  return (_, response) => sendStatus(response, status, { headers: { 'retry-after': seconds } })
}

function send(client: KubeClient, method: string): Promise<unknown> {
  switch (method) {
    case 'POST':
      return client.create('/api/v1/nodes', NODE)
    case 'PUT':
      return client.replace(PATH, NODE)
    case 'JSON patch':
      return client.patch(PATH, [], { type: 'json' })
    case 'PATCH':
      return client.apply(PATH, NODE)
    case 'DELETE':
      return client.delete(PATH)
    default:
      return client.get(PATH)
  }
}

/** The address of what listens on loopback until the test ends. */
async function listening(onConnection: (socket: Socket) => void): Promise<string> {
  const server = createServer(onConnection)
  onTestFinished(() => void server.close())
  return `https://127.0.0.1:${await listenOnLoopback(server)}`
}
