import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { sendJson, sendStatus, startFakeApiServer } from '../../support/api/fake-api-server.ts'
import { answererOf, line, pod, podList, PODS, QUICK } from '../../support/api/fake-pods.ts'
import { say, startPods, take, versionsWatched } from '../../support/api/fake-pods.ts'
import { servedClient } from '../../support/api/served-client.ts'

test('lists, then watches from there with bookmarks and a time limit', async () => {
  await using server = await startPods({
    lists: [[pod('a', 1)]],
    watches: [say('ADDED', pod('b', 8))],
  })

  expect(await take(server, 2)).toEqual(['ADDED a 1', 'ADDED b 8'])
  expect(server.requests).toMatchObject([
    { path: PODS, query: { limit: '500' } },
    { path: PODS, query: { watch: 'true', allowWatchBookmarks: 'true', resourceVersion: '7' } },
  ])
  const seconds = Number(server.requests[1]?.query['timeoutSeconds'])
  expect(seconds).toBeGreaterThanOrEqual(290)
  expect(seconds).toBeLessThan(590)
})

test('asks for metadata alone where that is enough', async () => {
  await using server = await startPods({
    lists: [[pod('a', 1)]],
    watches: [say('ADDED', pod('b', 8))],
  })

  expect(await take(server, 2, { metadataOnly: true })).toEqual(['ADDED a 1', 'ADDED b 8'])
  expect(server.requests.map(({ headers }) => headers['accept'])).toEqual([
    'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
    'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
  ])
})

test('yields the part of objects that its consumer wants, and what is not wanted as gone', async () => {
  await using server = await startPods({
    lists: [[pod('a', 1), pod('unwanted', 2)]],
    watches: [
      (response) => {
        say('ADDED', pod('b', 8))(response)
        say('MODIFIED', pod('unwanted', 9))(response)
      },
    ],
  })
  const seen: unknown[] = []

  const events = await take(server, 3, {
    keep: (object) => {
      seen.push(object.metadata.name)
      const metadata = { name: `part of ${object.metadata.name}`, resourceVersion: '0' }
      return object.metadata.name === 'unwanted' ? undefined : { ...object, metadata }
    },
  })

  expect(events).toEqual(['ADDED part of a 0', 'ADDED part of b 0', 'DELETED unwanted 9'])
  expect(seen).toEqual(['a', 'unwanted', 'b', 'unwanted'])
})

test('tells what differs in a new list also when its consumer wants no versions', async () => {
  await using server = await startPods({
    lists: [
      [pod('same', 1), pod('changed', 2)],
      [pod('same', 1), pod('changed', 5)],
    ],
    watches: [(response) => sendStatus(response, 410)],
  })

  const events = await take(server, 3, {
    keep: ({ metadata: { name = '' }, ...rest }) => ({ ...rest, metadata: { name } }),
  })

  expect(events).toEqual(['ADDED same 1', 'ADDED changed 2', 'MODIFIED changed 5'])
})

test('gives the items of a list their kind and version, and tells when all were taken', async () => {
  const pods = { lists: [[pod('a', 1), pod('b', 2)]], watches: [say('ADDED', pod('c', 8))] }
  const { client } = await servedClient(answererOf(pods), QUICK)
  const said: unknown[] = []

  const onListed = () => said.push('listed')
  const signal = AbortSignal.timeout(5000)
  for await (const { object } of client.watch(PODS, { signal, onListed })) {
    said.push(object)
    if (object.metadata.name === 'c') {
      break
    }
  }

  const kind = { apiVersion: 'v1', kind: 'Pod' }
  const listed = [pod('a', 1), pod('b', 2)].map((item) => ({ ...kind, ...item }))
  expect(said).toEqual([...listed, 'listed', pod('c', 8)])
})

test('reads a list page by page', async () => {
  await using server = await startFakeApiServer((request, response) => {
    const isFirst = request.query['continue'] === undefined
    const items = isFirst ? [pod('a', 1)] : [pod('b', 2)]
    sendJson(response, podList(items, isFirst ? { continue: 'x&y=/' } : {}))
  })

  expect(await take(server, 2)).toEqual(['ADDED a 1', 'ADDED b 2'])
  expect(server.requests[1]?.query).toEqual({ limit: '500', continue: 'x&y=/' })
})

test('reads a list at once when its pages took too long', async () => {
  await using server = await startFakeApiServer(({ query }, response) => {
    if (query['continue'] !== undefined) {
      return sendStatus(response, 410)
    }
    const isPage = query['limit'] !== undefined
    return sendJson(response, podList([pod('a', 1)], isPage ? { continue: 'x' } : {}))
  })

  expect(await take(server, 1)).toEqual(['ADDED a 1'])
  expect(server.requests.map(({ query }) => query)).toEqual([
    { limit: '500' },
    { limit: '500', continue: 'x' },
    {},
  ])
})

test('continues where it was when the connection breaks', async () => {
  const breaking = (response: ServerResponse) => {
    say('ADDED', pod('a', 8))(response)
    setTimeout(() => server.reset(), 20)
  }
  await using server = await startPods({ watches: [breaking, say('MODIFIED', pod('a', 9))] })

  expect(await take(server, 2)).toEqual(['ADDED a 8', 'MODIFIED a 9'])
  expect(versionsWatched(server)).toEqual(['7', '8'])
})

test('continues from the last bookmark when the server ends a watch, without an error', async () => {
  const ending = (response: ServerResponse) => {
    say('BOOKMARK', pod('', 20))(response)
    response.end()
  }
  await using server = await startPods({ watches: [ending, say('ADDED', pod('a', 21))] })

  expect(await take(server, 1)).toEqual(['ADDED a 21'])
  expect(versionsWatched(server)).toEqual(['7', '20'])
})

test.for([
  ['the answer', (response: ServerResponse) => sendStatus(response, 410)],
  ['an event', say('ERROR', { kind: 'Status', metadata: {}, code: 410 })],
] as const)('tells what differs in a new list when it gets 410 as %s', async ([, watch]) => {
  const before = [pod('a', 1), pod('b', 2)]
  const after = [pod('b', 5), pod('c', 6)]
  await using server = await startPods({ lists: [before, after], watches: [watch] })

  const listed = ['ADDED a 1', 'ADDED b 2']
  const difference = ['DELETED a 1', 'MODIFIED b 5', 'ADDED c 6']
  expect(await take(server, 5)).toEqual([...listed, ...difference])
})

test('continues after a list that fails and after a watch that makes no sense', async () => {
  let lists = 0
  await using server = await startPods({
    lists: [[pod('a', 1)]],
    watches: [(response) => void response.end('{"type":'), say('ADDED', pod('b', 8))],
    before: ({ query }, response) => {
      const isBroken = query['watch'] === undefined && (lists += 1) <= 7
      return isBroken && (sendStatus(response, lists % 2 === 0 ? 500 : 404), true)
    },
  })

  expect(await take(server, 2)).toEqual(['ADDED a 1', 'ADDED b 8'])
  expect(lists).toBe(8)
})

test('waits longer from one short watch to the next', async () => {
  const times: number[] = []
  await using server = await startPods({
    watches: Array.from({ length: 7 }, (_, index) => (response: ServerResponse) => {
      times.push(performance.now())
      response.end(line({ type: 'ADDED', object: pod(`p${index}`, 10 + index) }))
    }),
  })

  await take(server, 7, { watchRetryMs: 10, maxWatchRetryMs: 10_000 })

  const waits = times.slice(1).map((time, index) => time - (times[index] ?? 0))
  // 5 to 10 ms, 10 to 20 ms, … 160 to 320 ms
  expect(waits[5]).toBeGreaterThanOrEqual(155)
  expect(waits[3]).toBeGreaterThanOrEqual(38)
})

test('continues at once after a watch that lived for long', async () => {
  await using server = await startPods({
    watches: [(response) => void setTimeout(() => response.end(), 500), say('ADDED', pod('a', 8))],
  })

  const events = take(server, 1, { watchRetryMs: 60_000, maxWatchRetryMs: 60_000, watchWellMs: 40 })

  expect(await events).toEqual(['ADDED a 8'])
})

test('opens another watch when one is silent for too long', async () => {
  await using server = await startPods({
    watches: [say('BOOKMARK', pod('', 9)), say('ADDED', pod('a', 10))],
  })

  expect(await take(server, 1, { watchSilenceMs: 60 })).toEqual(['ADDED a 10'])
  expect(versionsWatched(server)).toEqual(['7', '9'])
})

test.for([401, 403])('believes a third %d in a row', async (status) => {
  await using server = await startFakeApiServer((_, response) =>
    sendStatus(response, status, { message: 'pods is forbidden' }),
  )

  const denial = { code: 'FAILED', message: 'pods is forbidden' }
  await expect(take(server, 1)).rejects.toMatchObject(denial)
  expect(server.requests).toHaveLength(3)
})

test('continues after denials if the consumer can do without, and reports each', async () => {
  const denied = (response: ServerResponse) => sendStatus(response, 403)
  await using server = await startPods({
    watches: [denied, denied, denied, denied, say('ADDED', pod('a', 8))],
  })
  const denials: unknown[] = []

  const events = take(server, 1, { onDenied: (error) => denials.push(error) })

  expect(await events).toEqual(['ADDED a 8'])
  expect(denials).toHaveLength(2)
})

test('tolerates two denials, again after each watch', async () => {
  const denied = (response: ServerResponse) => sendStatus(response, 403)
  const ended = (response: ServerResponse) => void response.end()
  await using server = await startPods({
    watches: [denied, denied, ended, denied, denied, say('ADDED', pod('a', 8))],
  })

  expect(await take(server, 1)).toEqual(['ADDED a 8'])
})

test('throws at once when the request itself is wrong', async () => {
  await using server = await startFakeApiServer((_, response) =>
    sendStatus(response, 400, { message: 'unable to parse the field selector' }),
  )

  await expect(take(server, 1)).rejects.toThrow('unable to parse the field selector')
  expect(server.requests).toHaveLength(1)
})
