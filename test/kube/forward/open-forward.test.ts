import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import type { Credential } from '../../../src/kube/connection.ts'
import { PATIENCE } from '../../../src/kube/connection.ts'
import { openForward } from '../../../src/kube/forward/open-forward.ts'
import { httpStatusOf, isLoginNeeded, loginNeeded } from '../../../src/kube/kube-error.ts'
import { createPeer } from '../../../src/kube/http/peer.ts'
import { startFakeApiServer } from '../../support/api/fake-api-server.ts'
import { forwardTo, refuseWith, startForwards } from '../../support/api/fake-forwards.ts'
import { rejectionOf } from '../../support/thrown-by.ts'

const TARGET = { namespace: 'team', pod: 'api-1', port: 6443 }

test('asks for the port of the pod with the credential of requests', async () => {
  await using server = await startForwards()
  await using stream = await forwardTo(server, { token: 'abc' })

  expect(stream.destroyed).toBe(false)
  expect(server.forwards[0]).toMatchObject({
    url: '/api/v1/namespaces/team/pods/api-1/portforward?ports=6443',
    headers: {
      authorization: 'Bearer abc',
      'sec-websocket-protocol': 'v4.channel.k8s.io',
      'user-agent': expect.stringMatching(/^vplane\/\d/),
    },
  })
  // API servers answer 406 to a request for JSON on a websocket.
  expect(server.forwards[0]?.headers.accept).toBeUndefined()
})

test('opens a connection of its own for each stream, and many at once', async () => {
  await using server = await startForwards({
    onForward: async ({ say, websocket }) => {
      await say('hi')
      websocket.close(1000)
    },
  })
  await using peer = createPeer(server.connection, PATIENCE)
  const { signal } = new AbortController()

  const streams = await Promise.all(
    Array.from({ length: 40 }, () => openForward(peer, TARGET, { signal })),
  )
  const texts = await Promise.all(streams.map((stream) => text(stream)))

  expect(new Set(texts)).toEqual(new Set(['hi']))
  expect(server.connections()).toBe(40)
  await server.openConnections(0)
})

test('names the rights that are missing', async () => {
  const message = 'pods "api-1" is forbidden: User "jo" cannot create resource "pods/portforward"'
  await using server = await startForwards({
    refuse: (_, socket) => refuseWith(socket, 403, message),
  })

  const error = await rejectionOf(forwardTo(server))

  expect(error.code).toBe('FAILED')
  expect(error.message).toBe(
    `forwarding requires the rights "get" and "create" on pods/portforward in namespace "team": ${message}`,
  )
  expect(error.hints[0]).toContain('--verb=get,create --resource=pods/portforward --namespace team')
  expect(httpStatusOf(error)).toBe(403)
})

test.for([
  [404, 'NOT_FOUND'],
  [500, 'FAILED'],
  [503, 'UNREACHABLE'],
] as const)('turns status %d into %s with the words of the server', async ([status, code]) => {
  await using server = await startForwards({
    refuse: (_, socket) => refuseWith(socket, status, 'pod api-1 is not there.'),
  })

  await expect(forwardTo(server)).rejects.toMatchObject({ code, message: 'pod api-1 is not there' })
  await server.openConnections(0)
})

test('tries once more with another credential, and no third time', async () => {
  await using server = await startForwards({
    refuse: (request, socket) =>
      request.headers.authorization !== 'good' && refuseWith(socket, 401, 'Unauthorized'),
  })
  await using healing = createPeer(withTokens(server, ['old', 'good']), PATIENCE)
  await using lost = createPeer(withTokens(server, ['old', 'older', 'good']), PATIENCE)
  const { signal } = new AbortController()

  const stream = await openForward(healing, TARGET, { signal })
  const error = await rejectionOf(openForward(lost, TARGET, { signal }))

  expect(stream.destroyed).toBe(false)
  expect(error.message).toBe('log in: Unauthorized')
  expect(isLoginNeeded(error)).toBe(true)
})

test('says that nothing listens', async () => {
  const server = await startForwards()
  await server[Symbol.asyncDispose]()

  await expect(forwardTo(server)).rejects.toMatchObject({
    code: 'UNREACHABLE',
    message: `cannot reach ${server.connection.server}: nothing listens there`,
  })
})

test('gives up on a server that never opens the websocket', async () => {
  await using server = await startForwards({ refuse: () => true })

  await expect(forwardTo(server, { patience: { connectMs: 40 } })).rejects.toMatchObject({
    code: 'TIMED_OUT',
    message: expect.stringContaining('the websocket was not opened in time'),
  })
  await server.openConnections(0)
})

test('refuses a server that speaks another protocol', async () => {
  await using server = await startFakeApiServer(() => {}, {
    onUpgrade: (_, socket) => {
      socket.end(
        'HTTP/1.1 101 Switching Protocols\r\nupgrade: SPDY/3.1\r\nconnection: upgrade\r\n\r\n',
      )
    },
  })

  await expect(forwardTo(server)).rejects.toMatchObject({ code: 'UNREACHABLE' })
  await server.openConnections(0)
})

test('throws the reason of the signal, and closes the connection', async () => {
  await using server = await startForwards({ refuse: () => true })
  await using peer = createPeer(server.connection, PATIENCE)
  const controller = new AbortController()
  const reason = new Error('enough')
  const opening = openForward(peer, TARGET, controller)
  const failure = expect(opening).rejects.toBe(reason)
  await server.openConnections(1)

  controller.abort(reason)

  await failure
  await server.openConnections(0)
})

test('keeps an open stream when the signal fires that was for opening it', async () => {
  await using server = await startForwards()
  await using peer = createPeer(server.connection, PATIENCE)
  const controller = new AbortController()
  const stream = await openForward(peer, TARGET, controller)

  controller.abort()
  stream.write('still there')

  for await (const chunk of stream as AsyncIterable<Buffer>) {
    expect(String(chunk)).toBe('STILL THERE')
    break
  }
})

test('opens nothing after the peer was closed', async () => {
  await using server = await startForwards()
  const peer = createPeer(server.connection, PATIENCE)
  await peer[Symbol.asyncDispose]()

  const { signal } = new AbortController()
  await expect(openForward(peer, TARGET, { signal })).rejects.toMatchObject({ code: 'ABORTED' })
  expect(server.connections()).toBe(0)
})

/** A connection whose credential is the next of some tokens after each refusal. */
function withTokens({ connection }: { connection: { server: string } }, tokens: string[]) {
  const current = (): Promise<Credential> =>
    Promise.resolve({ ...connection, authorization: tokens[0] })
  return {
    ...connection,
    credentials: {
      current,
      renew: () => {
        tokens.shift()
        return Promise.resolve(true)
      },
      denial: (refusal: Error) => loginNeeded(`log in: ${refusal.message}`, { cause: refusal }),
    },
  }
}
