import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import type { KubeConnection, Patience } from '../../../src/kube/connection.ts'
import { PATIENCE } from '../../../src/kube/connection.ts'
import type { UpgradedConnection } from '../../../src/shared/network/join-sockets.ts'
import { openUpgrade } from '../../../src/kube/http/open-upgrade.ts'
import type { Peer } from '../../../src/kube/http/peer.ts'
import { createPeer } from '../../../src/kube/http/peer.ts'
import type { FakeApiServer, Upgrader } from '../../support/api/fake-api-server.ts'
import { sendStatus, startFakeApiServer } from '../../support/api/fake-api-server.ts'
import { refuseWith } from '../../support/api/fake-forwards.ts'
import { startFakeProxy } from '../../support/api/fake-proxy.ts'

const PATH = '/api/v1/namespaces/team/pods/a/exec?command=sh'

test('gives the connection, what was said in it already, and the answer', async () => {
  const seen: object[] = []
  await using server = await startFakeApiServer(() => {}, {
    onUpgrade: ({ headersDistinct, method, url }, socket) => {
      seen.push({ method, url, protocols: headersDistinct['x-stream-protocol-version'] })
      agree(socket, 'first')
      socket.pipe(socket)
    },
  })
  await using peer = peerOf(server)

  const { answer, connection } = await upgrade(peer)
  connection?.socket.end(' and last')

  expect(answer).toMatchObject({ statusCode: 101, headers: { upgrade: 'SPDY/3.1' } })
  expect(String(connection?.head)).toBe('first')
  expect(await text(socketOf(connection))).toBe(' and last')
  expect(seen).toEqual([{ method: 'POST', url: PATH, protocols: ['v5', 'v4'] }])
  await server.openConnections(0)
})

test('gives the answer of a server that changes nothing, body and all', async () => {
  await using server = await startFakeApiServer((_, response) => sendStatus(response, 403))
  await using peer = peerOf(server)

  const { answer, connection } = await upgrade(peer)

  expect(connection).toBeUndefined()
  expect(answer.statusCode).toBe(403)
  expect(JSON.parse(await text(answer))).toMatchObject({ message: 'status 403' })
  expect(server.requests[0]).toMatchObject({ user: 'tester', query: { command: 'sh' } })
})

test.for([
  [true, 101, ['Bearer old', 'Bearer new']],
  [false, 401, ['Bearer old']],
] as const)(
  'asks again with another credential when there is one: %s',
  async ([isRenewed, status, expected]) => {
    const shown: (string | undefined)[] = []
    await using server = await startFakeApiServer(() => {}, {
      onUpgrade: ({ headers }, socket) => {
        shown.push(headers.authorization)
        if (headers.authorization === 'Bearer new') {
          agree(socket)
        } else {
          refuseWith(socket, 401, 'Unauthorized')
        }
      },
    })
    let token = 'old'
    await using peer = peerOf(server, {
      credentials: {
        current: () => {
          const { certificate, key } = server.connection
          return Promise.resolve({ certificate, key, authorization: `Bearer ${token}` })
        },
        renew: () => {
          token = 'new'
          return Promise.resolve(isRenewed)
        },
        denial: (refusal) => refusal,
      },
    })

    const { answer } = await upgrade(peer)

    expect(answer.statusCode).toBe(status)
    expect(shown).toEqual(expected)
  },
)

test('goes the way of the connection: its path and its proxy', async () => {
  const urls: (string | undefined)[] = []
  await using server = await startFakeApiServer(() => {}, {
    onUpgrade: ({ url }, socket) => {
      urls.push(url)
      agree(socket)
    },
  })
  const address = `${server.connection.server}/clusters/one/`
  const { port } = new URL(address)
  await using proxy = await startFakeProxy({ kind: 'http', port: Number(port) })
  await using peer = peerOf(server, { server: address, proxy: proxy.url })

  const { connection } = await upgrade(peer)
  connection?.socket.destroy()

  expect(urls).toEqual([`/clusters/one${PATH}`])
  expect(proxy.targets).toEqual([`127.0.0.1:${port}`])
})

test('gives up on a server that says nothing', async () => {
  await using server = await startFakeApiServer(() => {}, { onUpgrade: () => {} })
  await using peer = peerOf(server, {}, { silenceMs: 50 })

  await expect(upgrade(peer)).rejects.toMatchObject({
    code: 'TIMED_OUT',
    message: `cannot reach ${server.connection.server}: it was silent for 0.05 s`,
  })
  await server.openConnections(0)
})

test('says that nothing listens', async () => {
  const server = await startFakeApiServer(() => {})
  await server[Symbol.asyncDispose]()
  await using peer = peerOf(server)

  await expect(upgrade(peer)).rejects.toMatchObject({ code: 'UNREACHABLE' })
})

test('stops when the signal fires, and no longer when there is a connection', async () => {
  const asked = Promise.withResolvers<void>()
  await using server = await startFakeApiServer(() => {}, { onUpgrade: () => asked.resolve() })
  await using agreeing = await startFakeApiServer(() => {}, { onUpgrade: echo })
  await using peer = peerOf(server)
  await using other = peerOf(agreeing)
  const controller = new AbortController()
  const reason = new Error('enough')
  const { connection } = await upgrade(other, controller.signal)
  const failure = expect(upgrade(peer, controller.signal)).rejects.toBe(reason)
  await asked.promise

  controller.abort(reason)

  await failure
  await server.openConnections(0)
  connection?.socket.end('still here')
  expect(await text(socketOf(connection))).toBe('still here')
})

test('ends with its peer', async () => {
  await using server = await startFakeApiServer(() => {}, { onUpgrade: echo })
  const peer = peerOf(server)
  const { connection } = await upgrade(peer)
  const closed = new Promise((resolve) => socketOf(connection).once('close', resolve))

  await peer[Symbol.asyncDispose]()

  await closed
  await server.openConnections(0)
})

function peerOf(
  { connection }: FakeApiServer,
  changes: Partial<KubeConnection> = {},
  patience: Partial<Patience> = {},
): Peer {
  return createPeer({ ...connection, ...changes }, { ...PATIENCE, ...patience })
}

function upgrade(peer: Peer, signal = AbortSignal.timeout(8000)) {
  const headers = { upgrade: 'SPDY/3.1', 'x-stream-protocol-version': ['v5', 'v4'] }
  return openUpgrade(peer, { method: 'POST', path: PATH, headers, signal })
}

function socketOf(connection: UpgradedConnection | undefined): Socket {
  if (connection === undefined) {
    throw new Error('the protocol was not changed')
  }
  return connection.socket
}

const echo: Upgrader = (_, socket) => {
  socket.on('error', () => {})
  agree(socket)
  socket.pipe(socket)
}

function agree(socket: { write(text: string): unknown }, first = ''): void {
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n${first}`,
  )
}
