import { once } from 'node:events'
import { Agent, request } from 'node:https'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { waitFor } from '../../../../src/shared/wait.ts'
import { sendStatus } from '../../../support/api/fake-api-server.ts'
import type { FakeKubelet } from '../fake-kubelet.ts'
import { answerTo, ask, CLIENT, MEGABYTE, readSlowly } from '../fake-kubelet.ts'
import { send, startKubelet, writeMuch } from '../fake-kubelet.ts'

const LOG = '/containerLogs/team/web/app'

test('answers with the log of the host pod, as the syncer', async () => {
  await using kubelet = await startKubelet({
    answer: (_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain', 'audit-id': 'secret' })
      response.end('one\ntwo\n')
    },
  })

  const { body, headers, status } = await ask(
    kubelet,
    `${LOG}?follow=true&tailLines=5&limitBytes=9&sinceTime=2026-01-02T03%3A04%3A05Z&timestamps=true&evil=1`,
    { headers: { authorization: 'Bearer other', 'impersonate-user': 'admin' } },
  )

  expect({ status, body }).toEqual({ status: 200, body: 'one\ntwo\n' })
  expect(headers).not.toHaveProperty('audit-id')
  const path = '/api/v1/namespaces/plane-dev/pods/web-x-team-x-dev/log'
  expect(kubelet.host.requests).toMatchObject([{ method: 'GET', path, user: 'tester' }])
  expect(kubelet.host.requests[0]?.query).toEqual({
    container: 'app',
    follow: 'true',
    tailLines: '5',
    limitBytes: '9',
    sinceTime: '2026-01-02T03:04:05Z',
    timestamps: 'true',
  })
  expect(kubelet.host.requests[0]?.headers).not.toHaveProperty('impersonate-user')
  expect(kubelet.host.requests[0]?.headers).not.toHaveProperty('authorization')
})

test('gives a line when it is there, and bears silences before and behind it', async () => {
  const said = Promise.withResolvers<void>()
  await using kubelet = await startKubelet({
    patience: { silenceMs: 150, idleMs: 150 },
    options: { requestMs: 200 },
    answer: async (_, response) => {
      await limitPassed(kubelet)
      response.write('one\n')
      await said.promise
      response.end('two\n')
    },
  })
  // A busy machine does not shake hands in so short a time.
  const response = await waitFor(
    () => answerTo(kubelet, `${LOG}?follow=true`).catch(() => undefined),
    { what: 'an answer within the limits', timeoutMs: 8000 },
  )

  const [line] = await once(response, 'data')
  await limitPassed(kubelet)
  said.resolve()
  const [next] = await once(response, 'data')

  expect([String(line), String(next)]).toEqual(['one\n', 'two\n'])
})

test.for([
  [400, 'container "app" in pod "web" is waiting to start: ContainerCreating'],
  [403, 'pods "web" is forbidden'],
  [404, 'pods "web" not found'],
  [500, 'no'],
] as const)('passes a refusal with %d on, with the names of the plane', async ([status, said]) => {
  await using kubelet = await startKubelet({
    answer: (_, response) =>
      sendStatus(response, status, { message: said.replace('web', 'web-x-team-x-dev') }),
  })

  expect(await ask(kubelet, LOG)).toMatchObject({ status, body: said })
})

test('passes a refusal in plain text on as it is', async () => {
  await using kubelet = await startKubelet({
    answer: (_, response) => void response.writeHead(400).end('previous terminated container\n'),
  })

  expect(await ask(kubelet, LOG)).toMatchObject({
    status: 400,
    body: 'previous terminated container',
  })
})

test('sends nobody to log in, and to no other place', async () => {
  const statuses = [401, 302]
  const elsewhere = { message: 'Unauthorized', headers: { location: 'https://evil.example' } }
  await using kubelet = await startKubelet({
    answer: (_, response) => sendStatus(response, statuses.shift() ?? 500, elsewhere),
  })

  expect(await ask(kubelet, LOG)).toMatchObject({
    status: 502,
    body: "the host cluster rejects the syncer's token: Unauthorized",
  })
  const { headers, status } = await ask(kubelet, LOG)
  expect(status).toBe(502)
  expect(headers).not.toHaveProperty('location')
})

test('says that the host cannot be reached, but not where it is', async () => {
  await using kubelet = await startKubelet()
  await kubelet.host[Symbol.asyncDispose]()

  expect(await ask(kubelet, LOG)).toMatchObject({
    status: 502,
    body: 'cannot reach the host cluster: nothing listens there',
  })
})

test('ends the request to the host when the client goes before or during the answer', async () => {
  await using kubelet = await startKubelet({
    answer: ({ query }, response) => {
      if (query['follow'] === 'true') {
        response.write('one\n')
      }
    },
  })
  const waiting = send(kubelet, LOG)
  waiting.end()
  const response = await answerTo(kubelet, `${LOG}?follow=true`)
  await once(response, 'data')
  await kubelet.host.openConnections(2)

  waiting.destroy()
  response.destroy()

  await kubelet.host.openConnections(0)
})

test('does not let a log that broke off look like one that ended', async () => {
  await using kubelet = await startKubelet({
    answer: (_, response) => {
      response.write('one\n', () => response.socket?.destroy())
    },
  })
  const response = await answerTo(kubelet, LOG)

  await expect(Array.fromAsync(response)).rejects.toMatchObject({ code: 'ECONNRESET' })
})

test('takes no more from the host than the client takes', async () => {
  let written = 0
  await using kubelet = await startKubelet({
    answer: (_, response) => writeMuch(response, (megabytes) => (written = megabytes)),
  })
  const response = await answerTo(kubelet, LOG)
  response.pause()

  await delay(700)

  // What the system buffers for three connections.
  expect(written).toBeLessThan(50)
  response.destroy()
  await kubelet.host.openConnections(0)
})

test('gives a slow client all there is', async () => {
  await using kubelet = await startKubelet({
    answer: async (_, response) => {
      await writeMuch(response, undefined, 8)
      response.end()
    },
  })

  const bytes = await readSlowly(await answerTo(kubelet, LOG))

  expect(bytes).toBe(8 * MEGABYTE)
})

test('serves 100 logs at once', { timeout: 30_000 }, async () => {
  await using kubelet = await startKubelet({
    answer: ({ query }, response) => void response.end(`container ${query['container']}`),
  })

  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, index) => ask(kubelet, `/containerLogs/team/web/c${index}`)),
  )

  expect(answers.map(({ body }) => body)).toEqual(
    Array.from({ length: 100 }, (_, index) => `container c${index}`),
  )
})

test('serves a client that asks twice over one connection', async () => {
  await using kubelet = await startKubelet({ answer: (_, response) => void response.end('one\n') })
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ...CLIENT })
  const ports: unknown[] = []
  for (let count = 0; count < 2; count += 1) {
    const outgoing = request({ agent, host: '127.0.0.1', port: kubelet.server.port, path: LOG })
    outgoing.end()
    const [response] = await once(outgoing, 'response')
    ports.push(response.socket.localPort)
    await Array.fromAsync(response)
    await delay(0)
  }
  agent.destroy()

  expect(new Set(ports).size).toBe(1)
})

/** Returns when the server has ended a connection that says nothing: a whole limit has passed, whatever the machine does. */
async function limitPassed({ server }: FakeKubelet): Promise<void> {
  await once(connect(server.port, '127.0.0.1').resume(), 'close')
}
