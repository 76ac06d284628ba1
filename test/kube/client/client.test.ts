import { expect, expectTypeOf, test } from 'vitest'
import type { PlaneApi } from '../../../src/control-plane/api/plane-api.ts'
import type { KubeClient } from '../../../src/kube/client/client.ts'
import { createKubeClient, toDeleteBody } from '../../../src/kube/client/client.ts'
import { sendJson, sendStatus, startFakeApiServer } from '../../support/api/fake-api-server.ts'
import { nameOf, pod, podList, say, startPods } from '../../support/api/fake-pods.ts'

const QUICK = { retryMs: 1, maxRetryMs: 50 }
const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a' },
  spec: { futureField: [1e21, null, 'ü'] },
}

test('is what use cases need of a plane', () => {
  expectTypeOf<KubeClient>().toExtend<PlaneApi>()
})

test('speaks with its client certificate over one connection that it keeps', async () => {
  await using server = await startFakeApiServer((_, response) => sendJson(response, POD))
  await using client = createKubeClient(server.connection)

  for (let index = 0; index < 20; index += 1) {
    await client.get('/api/v1/namespaces/default/pods/a')
  }

  expect(server.connections()).toBe(1)
  expect(server.requests).toHaveLength(20)
  expect(server.requests[0]).toMatchObject({
    method: 'GET',
    path: '/api/v1/namespaces/default/pods/a',
    user: 'tester',
    headers: { accept: 'application/json', 'user-agent': expect.stringMatching(/^vplane\/\d/) },
  })
})

test('sends a bearer token when it has one', async () => {
  await using server = await startFakeApiServer((_, response) => sendJson(response, POD))
  await using client = createKubeClient({ ...server.connection, token: 'abc' })

  await client.get('/api/v1/nodes/a')

  expect(server.requests[0]?.headers.authorization).toBe('Bearer abc')
})

test("puts the path of the server's address before every path", async () => {
  await using server = await startFakeApiServer((_, response) => sendJson(response, POD))
  const address = `${server.connection.server}/clusters/one/`
  await using client = createKubeClient({ ...server.connection, server: address })

  await client.get('/api/v1/nodes/a')

  expect(server.requests[0]?.path).toBe('/clusters/one/api/v1/nodes/a')
})

test('passes fields that nobody knows in both directions', async () => {
  await using server = await startFakeApiServer((request, response) =>
    sendJson(response, request.body),
  )
  await using client = createKubeClient(server.connection)

  expect(await client.create('/api/v1/namespaces/default/pods', POD)).toEqual(POD)
  expect(await client.apply('/api/v1/namespaces/default/pods/a', POD)).toEqual(POD)
})

test('gives answers without metadata an empty one', async () => {
  await using server = await startFakeApiServer((_, response) =>
    sendJson(response, { kind: 'APIResourceList', groupVersion: 'v1', resources: [] }),
  )
  await using client = createKubeClient(server.connection)

  expect(await client.get('/api/v1')).toEqual({
    apiVersion: '',
    kind: 'APIResourceList',
    metadata: {},
    groupVersion: 'v1',
    resources: [],
  })
})

test('finds undefined where there is no object', async () => {
  await using server = await startFakeApiServer((_, response) => sendStatus(response, 404))
  await using client = createKubeClient(server.connection)

  expect(await client.get('/api/v1/nodes/a')).toBeUndefined()
})

test('creates as field manager vplane, on trial when asked', async () => {
  await using server = await startFakeApiServer((_, response) => sendJson(response, POD, 201))
  await using client = createKubeClient(server.connection)

  await client.create('/api/v1/namespaces/default/pods', POD)
  await client.create('/api/v1/namespaces/default/pods', POD, { dryRun: true })

  expect(server.requests).toMatchObject([
    { method: 'POST', query: { fieldManager: 'vplane' }, body: POD },
    { method: 'POST', query: { fieldManager: 'vplane', dryRun: 'All' }, body: POD },
  ])
  expect(server.requests[0]?.query).not.toHaveProperty('dryRun')
  expect(server.requests[0]?.headers['content-type']).toBe('application/json')
})

test('applies on the server and takes fields over', async () => {
  await using server = await startFakeApiServer((_, response) => sendJson(response, POD))
  await using client = createKubeClient(server.connection)

  await client.apply('/api/v1/namespaces/default/pods/a', POD)

  expect(server.requests).toMatchObject([
    {
      method: 'PATCH',
      query: { fieldManager: 'vplane', force: 'true' },
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: POD,
    },
  ])
})

test('applies on trial, and takes nothing over, when asked', async () => {
  await using server = await startFakeApiServer((_, response) => sendJson(response, POD))
  await using client = createKubeClient(server.connection)

  await client.apply('/api/v1/namespaces/default/pods/a', POD, { force: false, dryRun: true })

  expect(server.requests[0]?.query).toEqual({
    fieldManager: 'vplane',
    force: 'false',
    dryRun: 'All',
  })
})

test('lists what a selection is of, page by page', async () => {
  await using server = await startFakeApiServer((request, response) =>
    request.query['continue'] === undefined
      ? sendJson(response, podList([pod('a', 1)], { continue: 'more' }))
      : sendJson(response, podList([pod('b', 2)], { resourceVersion: '7' })),
  )
  await using client = createKubeClient(server.connection)

  const list = await client.list('/api/v1/pods', {
    labelSelector: 'vplane.dev/name=dev',
    fieldSelector: 'status.phase=Running',
  })

  expect(list).toEqual({
    items: [
      { apiVersion: 'v1', kind: 'Pod', ...pod('a', 1) },
      { apiVersion: 'v1', kind: 'Pod', ...pod('b', 2) },
    ],
    resourceVersion: '7',
  })
  const selection = {
    labelSelector: 'vplane.dev/name=dev',
    fieldSelector: 'status.phase=Running',
  }
  expect(server.requests.map(({ query }) => query)).toEqual([
    { ...selection, limit: '500' },
    { ...selection, limit: '500', continue: 'more' },
  ])
})

test('watches what a selection is of', async () => {
  await using server = await startPods({
    lists: [[]],
    watches: [say('ADDED', pod('a', 8))],
  })
  await using client = createKubeClient(server.connection)
  const options = { labelSelector: 'app=x', signal: AbortSignal.timeout(5000) }

  for await (const event of client.watch('/api/v1/pods', options)) {
    expect(nameOf(event)).toBe('ADDED a 8')
    break
  }

  expect(server.requests.map(({ query }) => query['labelSelector'])).toEqual(['app=x', 'app=x'])
})

test.for([
  ['merge', 'application/merge-patch+json'],
  ['json', 'application/json-patch+json'],
  ['strategic', 'application/strategic-merge-patch+json'],
] as const)('sends a %s patch', async ([type, contentType]) => {
  await using server = await startFakeApiServer((_, response) => sendJson(response, POD))
  await using client = createKubeClient(server.connection)

  expect(await client.patch('/api/v1/pods/a', [{ op: 'test' }], { type })).toEqual(POD)

  expect(server.requests).toMatchObject([
    {
      method: 'PATCH',
      query: { fieldManager: 'vplane' },
      headers: { 'content-type': contentType },
      body: [{ op: 'test' }],
    },
  ])
})

test('replaces an object', async () => {
  await using server = await startFakeApiServer((request, response) =>
    request.path.endsWith('/old') ? sendStatus(response, 409) : sendJson(response, POD),
  )
  await using client = createKubeClient(server.connection)

  expect(await client.replace('/api/v1/pods/a', POD)).toEqual(POD)
  await expect(client.replace('/api/v1/pods/old', POD)).rejects.toMatchObject({ code: 'CONFLICT' })

  expect(server.requests[0]).toMatchObject({
    method: 'PUT',
    query: { fieldManager: 'vplane' },
    headers: { 'content-type': 'application/json' },
    body: POD,
  })
})

test('deletes only the object that is meant', async () => {
  await using server = await startFakeApiServer((request, response) =>
    request.path.endsWith('/other') ? sendStatus(response, 409) : sendJson(response, POD),
  )
  await using client = createKubeClient(server.connection)

  await client.delete('/api/v1/pods/a', { uid: 'u-1', propagation: 'Background' })
  const other = client.delete('/api/v1/pods/other', { uid: 'u-1' })

  await expect(other).rejects.toMatchObject({ code: 'CONFLICT' })
  expect(server.requests[0]?.body).toEqual({
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    propagationPolicy: 'Background',
    preconditions: { uid: 'u-1' },
  })
})

test.for([
  [{}, undefined],
  [{ propagation: 'Foreground' }, { propagationPolicy: 'Foreground' }],
  [{ graceSeconds: 0 }, { gracePeriodSeconds: 0 }],
  [{ uid: 'u' }, { preconditions: { uid: 'u' } }],
  [
    { uid: 'u', resourceVersion: '7', propagation: 'Orphan' },
    { propagationPolicy: 'Orphan', preconditions: { uid: 'u', resourceVersion: '7' } },
  ],
] as const)('says of %j what the API wants to hear', ([options, fields]) => {
  expect(toDeleteBody(options)).toEqual(
    fields && { apiVersion: 'v1', kind: 'DeleteOptions', ...fields },
  )
})

test('tells whether there was something to delete', async () => {
  await using server = await startFakeApiServer((request, response) =>
    request.path.endsWith('/here') ? sendJson(response, POD) : sendStatus(response, 404),
  )
  await using client = createKubeClient(server.connection)

  expect(await client.delete('/api/v1/nodes/here')).toBe(true)
  expect(await client.delete('/api/v1/nodes/gone')).toBe(false)
})

test('gives plain text whatever the status', async () => {
  await using server = await startFakeApiServer((_, response) => {
    response.writeHead(500).end('[-]etcd failed')
  })
  await using client = createKubeClient(server.connection, QUICK)

  expect(await client.text('/readyz')).toEqual({ status: 500, body: '[-]etcd failed' })
  expect(server.requests).toHaveLength(1)
})

test('closes all of its connections when it is disposed', async () => {
  await using server = await startFakeApiServer((_, response) => sendJson(response, POD))
  {
    await using client = createKubeClient(server.connection)
    await Promise.all(Array.from({ length: 5 }, () => client.get('/api/v1/nodes/a')))
    await server.openConnections(5)
  }

  await server.openConnections(0)
})

test('fails what is under way when it is disposed', async () => {
  await using server = await startFakeApiServer(() => {})
  const client = createKubeClient(server.connection, QUICK)
  const answer = client.get('/api/v1/nodes/a')
  const failure = expect(answer).rejects.toMatchObject({ code: 'ABORTED' })
  await server.openConnections(1)

  await client[Symbol.asyncDispose]()

  await failure
  await expect(client.get('/api/v1/nodes/a')).rejects.toMatchObject({ code: 'ABORTED' })
})

test.for(['get', 'delete', 'text'] as const)(
  'throws the reason of the signal that ends %s, and closes the connection',
  async (method) => {
    await using server = await startFakeApiServer(() => {})
    await using client = createKubeClient(server.connection, QUICK)
    const controller = new AbortController()
    const reason = new Error('enough')
    const answer = client[method]('/api/v1/nodes/a', { signal: controller.signal })
    const failure = expect(answer).rejects.toBe(reason)
    await server.openConnections(1)

    controller.abort(reason)

    await failure
    await server.openConnections(0)
  },
)

test('sends nothing when the signal has fired before', async () => {
  await using server = await startFakeApiServer((_, response) => sendJson(response, POD))
  await using client = createKubeClient(server.connection)
  const reason = new Error('enough')

  const answer = client.apply('/api/v1/nodes/a', POD, { signal: AbortSignal.abort(reason) })

  await expect(answer).rejects.toBe(reason)
  expect(server.requests).toEqual([])
})

test('serves many requests with one signal without a warning', async ({ onTestFinished }) => {
  const warnings: Error[] = []
  const listener = (warning: Error) => warnings.push(warning)
  process.on('warning', listener)
  onTestFinished(() => void process.off('warning', listener))
  await using server = await startFakeApiServer((_, response) => sendJson(response, POD))
  await using client = createKubeClient(server.connection)
  const { signal } = new AbortController()

  await Promise.all(Array.from({ length: 30 }, () => client.get('/api/v1/nodes/a', { signal })))

  expect(warnings).toEqual([])
})
