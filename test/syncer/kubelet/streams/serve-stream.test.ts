import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { connect as connectTcp } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { connect } from 'node:tls'
import { expect, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { waitFor } from '../../../../src/shared/wait.ts'
import { refuseWith } from '../../../support/api/fake-forwards.ts'
import type { Upgrader } from '../../../support/api/fake-api-server.ts'
import type { FakeKubelet } from '../fake-kubelet.ts'
import { agree, change, CLIENT, MEGABYTE, readSlowly } from '../fake-kubelet.ts'
import { startKubelet, writeMuch } from '../fake-kubelet.ts'

const EXEC = '/exec/team/web/app?command=sh&command=-c&command=echo+hi&input=1&output=1'
const COMMAND = 'container=app&command=sh&command=-c'
const ATTACH =
  'POST /attach/team/web/app?output=1 HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n'

test.for([
  ['POST', EXEC, `exec?${COMMAND}&command=echo%20hi&stdin=true&stdout=true`],
  ['GET', '/exec/team/web/22222222-bbbb/app?command=id', 'exec?container=app&command=id'],
  ['POST', '/attach/team/web/app?output=1&tty=1', 'attach?container=app&stdout=true&tty=true'],
  ['POST', '/portForward/team/web', 'portforward'],
  ['GET', '/portForward/team/web/22222222-bbbb?port=80,81', 'portforward?ports=80&ports=81'],
] as const)('carries %s %s', async ([method, path, expected]) => {
  const headers = { authorization: 'x', 'impersonate-user': 'admin', 'x-remote-user': 'x' }
  const seen: IncomingMessage[] = []
  await using kubelet = await startKubelet({ onUpgrade: echoing(seen) })

  using stream = await change(kubelet, path, { method, headers })
  stream.socket.write('hello')
  const [said] = await once(stream.socket, 'data')

  expect(String(said)).toBe('hello')
  const url = `/api/v1/namespaces/plane-dev/pods/web-x-team-x-dev/${expected}`
  const versions = ['v5.channel.k8s.io', 'v4.channel.k8s.io']
  const headersDistinct = { 'x-stream-protocol-version': versions }
  expect(seen).toMatchObject([{ method, url, headersDistinct }])
  for (const header of Object.keys(headers)) {
    expect(seen[0]?.headers).not.toHaveProperty(header)
  }
  expect(stream.headers).toEqual({
    connection: 'Upgrade',
    upgrade: 'SPDY/3.1',
    'x-stream-protocol-version': 'v4.channel.k8s.io',
  })
})

test('carries what both sides say with their heads', async () => {
  const heard = Promise.withResolvers<string>()
  await using kubelet = await startKubelet({
    onUpgrade: (_, socket) => {
      agree(socket, 'first of the host')
      socket.once('data', (data) => heard.resolve(String(data)))
    },
  })
  using client = await rawClient(kubelet)

  client.socket.write(`${ATTACH}first of the client`)
  let answer = ''
  for await (const chunk of client.socket) {
    answer += String(chunk)
    if (answer.endsWith('host')) {
      break
    }
  }

  expect(answer).toMatch(/^HTTP\/1\.1 101 Switching Protocols\r\n[^]*\r\n\r\nfirst of the host$/)
  expect(await heard.promise).toBe('first of the client')
})

test('carries websockets', async () => {
  const protocol = 'v4.channel.k8s.io'
  const websockets = new WebSocketServer({ noServer: true, handleProtocols: () => protocol })
  await using kubelet = await startKubelet({
    onUpgrade: (request, socket, head) =>
      websockets.handleUpgrade(request, socket, head, (websocket) =>
        websocket.on('message', (data) => websocket.send(data)),
      ),
  })
  const url = `wss://127.0.0.1:${kubelet.server.port}/portForward/team/web?port=80`
  const websocket = new WebSocket(url, [protocol], CLIENT)
  await once(websocket, 'open')

  websocket.send('hello')
  const [said] = await once(websocket, 'message')

  expect(String(said)).toBe('hello')
  expect(websocket.protocol).toBe(protocol)
  websocket.close()
  await once(websocket, 'close')
  await kubelet.host.openConnections(0)
})

test('passes a refusal of the host on, with the names of the plane', async () => {
  const message = 'pods "web-x-team-x-dev" not found in "plane-dev"'
  const onUpgrade: Upgrader = (_, socket) => void refuseWith(socket, 404, message)
  await using kubelet = await startKubelet({ onUpgrade })

  await expect(change(kubelet, EXEC)).rejects.toMatchObject({
    status: 404,
    headers: { 'content-type': 'application/json', connection: 'close' },
    body: expect.stringContaining(String.raw`pods \"web\" not found in \"team\"`),
  })
  await kubelet.host.openConnections(0)
})

test.for([
  ['/exec/team/other/app?command=id', 404, 'pod "other" does not exist'],
  ['/exec/team/web/3333/app', 404, 'pod "web" with UID "3333" does not exist'],
  ['/portForward/team/web/3333', 404, 'pod "web" with UID "3333" does not exist'],
  ['/exec/team/..%2F..%2Fnodes/app', 400, 'part 2 of the path is not a valid pod'],
  ['/exec/team/web', 404, '/exec with 2 parts does not exist'],
] as const)('refuses %s with %d, without the host', async ([path, status, body]) => {
  await using kubelet = await startKubelet()

  const toOther = { headers: { upgrade: 'h2c' } }
  await expect(change(kubelet, path)).rejects.toMatchObject({ status, body })
  await expect(change(kubelet, path, toOther)).rejects.toMatchObject({ status })
  expect(kubelet.host.connections()).toBe(0)
})

test('changes to no other protocol', async () => {
  await using kubelet = await startKubelet()

  const toOther = { headers: { upgrade: 'h2c' } }
  await expect(change(kubelet, EXEC, toOther)).rejects.toMatchObject({ status: 400 })
  expect(kubelet.host.connections()).toBe(0)
})

test('carries a command as long as a script', async () => {
  let length = 0
  await using kubelet = await startKubelet({
    onUpgrade: ({ url }, socket) => {
      length = url?.length ?? 0
      refuseWith(socket, 404, 'pods "web-x-team-x-dev" not found')
    },
  })

  const refused = change(kubelet, `/exec/team/web/app?command=${'x'.repeat(500_000)}`)

  await expect(refused).rejects.toMatchObject({ status: 404 })
  expect(length).toBeGreaterThan(500_000)
})

test('bears a silence', async () => {
  await using kubelet = await startKubelet({
    onUpgrade: echoing([]),
    patience: { silenceMs: 60, lingerMs: 20, idleMs: 20 },
    options: { requestMs: 60 },
  })
  // The limits hold until the protocol has changed, and a busy machine does not shake hands in so short a time.
  using stream = await waitFor(() => change(kubelet, EXEC).catch(() => undefined), {
    what: 'a stream within the limits',
    timeoutMs: 8000,
  })

  await delay(400)
  stream.socket.write('still there')
  const [said] = await once(stream.socket, 'data')

  expect(String(said)).toBe('still there')
})

test('gives up on a host that does not answer', async () => {
  await using kubelet = await startKubelet({ onUpgrade: () => {}, patience: { silenceMs: 60 } })

  await expect(change(kubelet, EXEC)).rejects.toMatchObject({
    status: 504,
    body: 'cannot reach the host cluster: it was silent for 0.06 s',
  })
  await kubelet.host.openConnections(0)
})

const WAYS = ['end', 'destroy', 'reset'] as const
const LEAVINGS = WAYS.flatMap((way) => [[way, 'before'] as const, [way, 'after'] as const])

test.for(LEAVINGS)(
  'ends the connection to the host when the client goes by %s %s the answer',
  async ([way, when]) => {
    const onUpgrade = when === 'after' ? echoing([]) : () => {}
    await using kubelet = await startKubelet({ onUpgrade })
    using client = await rawClient(kubelet)
    client.socket.write(ATTACH)
    if (when === 'after') {
      await once(client.socket, 'data')
    }
    await kubelet.host.openConnections(1)

    client.leave(way)

    await kubelet.host.openConnections(0)
  },
)

test('ends the connection to the client when the host breaks', async () => {
  await using kubelet = await startKubelet({ onUpgrade: echoing([]) })
  using stream = await change(kubelet, EXEC)
  const ended = once(stream.socket.resume(), 'end')

  kubelet.host.reset()

  await ended
})

test.for(['before it has ended', 'after it has ended'])(
  'gives the client all that the host said, %s',
  async (when) => {
    await using kubelet = await startKubelet({
      onUpgrade: (_, socket) => {
        agree(socket)
        socket.once('data', () => socket.end(Buffer.alloc(8 * MEGABYTE, 'x')))
      },
    })
    using stream = await change(kubelet, EXEC)
    stream.socket.write('all')
    if (when === 'after it has ended') {
      stream.socket.end()
    }

    expect(await readSlowly(stream.socket)).toBe(8 * MEGABYTE)
    stream.socket.end()
    await kubelet.host.openConnections(0)
  },
)

test('passes the end of one direction on', async () => {
  const ended = Promise.withResolvers<void>()
  await using kubelet = await startKubelet({
    onUpgrade: (_, socket) => {
      agree(socket)
      socket.resume().once('end', () => ended.resolve())
    },
  })
  using stream = await change(kubelet, EXEC)

  stream.socket.end('all that there is')

  await ended.promise
  await kubelet.host.openConnections(0)
})

test('takes no more from the host than the client takes, and the other way round', async () => {
  const written = { down: 0, up: 0 }
  await using kubelet = await startKubelet({
    onUpgrade: (_, socket) => {
      socket.on('error', () => {})
      agree(socket)
      void writeMuch(socket, (megabytes) => (written.down = megabytes))
    },
  })
  using stream = await change(kubelet, EXEC)

  void writeMuch(stream.socket, (megabytes) => (written.up = megabytes))
  await delay(700)

  // What the system buffers for three connections.
  expect(written.down).toBeLessThan(50)
  expect(written.up).toBeLessThan(50)
  stream.socket.destroy()
  await kubelet.host.openConnections(0)
})

test('carries 100 streams at once', { timeout: 30_000 }, async () => {
  await using kubelet = await startKubelet({ onUpgrade: echoing([]) })

  const said = await Promise.all(
    Array.from({ length: 100 }, async (_, index) => {
      using stream = await change(kubelet, EXEC)
      stream.socket.end(`stream ${index}`)
      return await text(stream.socket)
    }),
  )

  expect(said).toEqual(Array.from({ length: 100 }, (_, index) => `stream ${index}`))
  await kubelet.host.openConnections(0)
})

/** Sends back what it gets. */
function echoing(seen: IncomingMessage[]): Upgrader {
  return (request, socket, head) => {
    seen.push(request)
    socket.on('error', () => {})
    agree(socket)
    socket.write(head)
    socket.pipe(socket)
  }
}

/** A client that can go in all ways. */
async function rawClient({ server }: FakeKubelet) {
  const raw = connectTcp(server.port, '127.0.0.1')
  const socket = connect({ socket: raw, ...CLIENT })
  raw.on('error', () => {})
  socket.on('error', () => {})
  await once(socket, 'secureConnect')
  return {
    socket,
    leave: (way: (typeof WAYS)[number]) => {
      if (way === 'reset') {
        raw.resetAndDestroy()
      } else {
        socket[way]()
      }
    },
    [Symbol.dispose]: () => void socket.destroy(),
  }
}
