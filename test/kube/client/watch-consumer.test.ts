import { expect, test } from 'vitest'
import { createKubeClient } from '../../../src/kube/client/client.ts'
import {
  line,
  nameOf,
  pod,
  PODS,
  QUICK,
  say,
  startPods,
  versionsWatched,
} from '../../support/api/fake-pods.ts'

test('does not take a slow consumer for a silent server', async () => {
  await using server = await startPods({
    lists: [[]],
    watches: [
      (response) => {
        say('ADDED', pod('a', 8))(response)
        setTimeout(() => say('ADDED', pod('b', 9))(response), 150)
      },
    ],
  })
  await using client = createKubeClient(server.connection, { ...QUICK, watchSilenceMs: 80 })
  const events = client.watch(PODS, { signal: AbortSignal.timeout(5000) })[Symbol.asyncIterator]()

  await events.next()
  await new Promise((resolve) => setTimeout(resolve, 120))

  expect(nameOf((await events.next()).value)).toBe('ADDED b 9')
  expect(versionsWatched(server)).toEqual(['7'])
  await events.return?.()
})

test('leaves no connection behind when the consumer stops', async () => {
  await using server = await startPods({ lists: [[]], watches: [say('ADDED', pod('a', 8))] })
  await using client = createKubeClient(server.connection, QUICK)

  for await (const event of client.watch(PODS, { signal: AbortSignal.timeout(5000) })) {
    expect(nameOf(event)).toBe('ADDED a 8')
    break
  }

  await server.openConnections(0)
})

test('reads no further than its consumer', async () => {
  let written = 0
  const big = { ...pod('big', 8), data: 'x'.repeat(100_000) }
  await using server = await startPods({
    lists: [[]],
    watches: [
      (response) => {
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
      },
    ],
  })
  await using client = createKubeClient(server.connection, QUICK)
  const events = client.watch(PODS, { signal: AbortSignal.timeout(5000) })[Symbol.asyncIterator]()
  await events.next()

  await expectSteady(() => written)

  // 100 MB wait at the server; what the sockets and the stream of node hold is a few.
  expect(written).toBeLessThan(200)
  await events.return?.()
})

test.for(['during a watch', 'between two watches'])(
  'throws the reason of the signal %s',
  async (when) => {
    const watches = when === 'during a watch' ? [() => {}] : []
    await using server = await startPods({ lists: [[pod('a', 1)]], watches, otherwise: 500 })
    await using client = createKubeClient(server.connection, {
      watchRetryMs: 60_000,
      maxWatchRetryMs: 60_000,
    })
    const controller = new AbortController()
    const reason = new Error('enough')
    const events = client.watch(PODS, { signal: controller.signal })[Symbol.asyncIterator]()
    await events.next()
    const failure = expect(events.next()).rejects.toBe(reason)
    await expect.poll(() => versionsWatched(server)).toHaveLength(1)

    controller.abort(reason)

    await failure
    expect((await events.next()).done).toBe(true)
  },
)

test('ends with the client', async () => {
  await using server = await startPods({ lists: [[pod('a', 1)]], watches: [() => {}] })
  const client = createKubeClient(server.connection, QUICK)
  const events = client.watch(PODS, { signal: AbortSignal.timeout(5000) })[Symbol.asyncIterator]()
  await events.next()
  const failure = expect(events.next()).rejects.toMatchObject({ code: 'ABORTED' })
  await expect.poll(() => versionsWatched(server)).toHaveLength(1)

  await client[Symbol.asyncDispose]()

  await failure
  await server.openConnections(0)
})

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
