import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import type { Patience } from '../../../src/kube/connection.ts'
import { answererOf, line, nameOf, pod, PODS } from '../../support/api/fake-pods.ts'
import { type Pods, QUICK, say, versionsWatched } from '../../support/api/fake-pods.ts'
import { servedClient } from '../../support/api/served-client.ts'

test('does not take a slow consumer for a silent server', async () => {
  const watch = (response: ServerResponse) => {
    say('ADDED', pod('a', 8))(response)
    setTimeout(() => say('ADDED', pod('b', 9))(response), 150)
  }
  const { events, server } = await watched({ watches: [watch] }, { watchSilenceMs: 80 })

  await events.next()
  await new Promise((resolve) => setTimeout(resolve, 120))

  expect(nameOf((await events.next()).value)).toBe('ADDED b 9')
  expect(versionsWatched(server)).toEqual(['7'])
  await events.return?.()
})

test('leaves no connection behind when the consumer stops', async () => {
  const { events, server } = await watched({ watches: [say('ADDED', pod('a', 8))] })

  expect(nameOf((await events.next()).value)).toBe('ADDED a 8')
  await events.return?.()

  await server.openConnections(0)
})

test('reads no further than its consumer', async () => {
  let written = 0
  const big = { ...pod('big', 8), data: 'x'.repeat(100_000) }
  const watch = (response: ServerResponse) => {
    const more = () => {
      while (written < 1000 && response.write(line({ type: 'MODIFIED', object: big }))) {
        written += 1
      }
    }
    response.on('drain', () => {
      written += 1
      more()
    })
    more()
  }
  const { events } = await watched({ watches: [watch] })
  await events.next()

  await expectSteady(() => written)

  // 100 MB wait at the server; what the sockets and the stream of node hold is a few.
  expect(written).toBeLessThan(200)
  await events.return?.()
})

test.for([
  ['during a watch', [() => {}]],
  ['between two watches', []],
] as const)('throws the reason of the signal %s', async ([, watches]) => {
  const pods = { lists: [[pod('a', 1)]], watches: [...watches], otherwise: 500 }
  const patience = { watchRetryMs: 60_000, maxWatchRetryMs: 60_000 }
  const controller = new AbortController()
  const reason = new Error('enough')
  const { events, server } = await watched(pods, patience, controller)
  await events.next()
  const failure = expect(events.next()).rejects.toBe(reason)
  await expect.poll(() => versionsWatched(server)).toHaveLength(1)

  controller.abort(reason)

  await failure
  expect((await events.next()).done).toBe(true)
})

test('ends with the client', async () => {
  const { client, events, server } = await watched({ lists: [[pod('a', 1)]], watches: [() => {}] })
  await events.next()
  const failure = expect(events.next()).rejects.toMatchObject({ code: 'ABORTED' })
  await expect.poll(() => versionsWatched(server)).toHaveLength(1)

  await client[Symbol.asyncDispose]()

  await failure
  await server.openConnections(0)
})

/** A client that watches pods. */
async function watched(
  pods: Pods,
  patience: Partial<Patience> = {},
  by = { signal: AbortSignal.timeout(5000) },
) {
  const served = await servedClient(answererOf(pods), { ...QUICK, ...patience })
  return { ...served, events: served.client.watch(PODS, by)[Symbol.asyncIterator]() }
}

/** Resolves when a number has not changed for a while. */
async function expectSteady(read: () => number): Promise<void> {
  let last = -1
  await expect
    .poll(
      () => {
        const isSteady = read() === last
        last = read()
        return isSteady
      },
      { interval: 100 },
    )
    .toBe(true)
}
