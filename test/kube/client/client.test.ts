import { expect, expectTypeOf, test } from 'vitest'
import type { PlaneApi } from '../../../src/control-plane/api/plane-api.ts'
import type { KubeClient } from '../../../src/kube/client/client.ts'
import { createKubeClient, kubeClientOf, toDeleteBody } from '../../../src/kube/client/client.ts'
import { PATIENCE } from '../../../src/kube/connection.ts'
import { createPeer } from '../../../src/kube/http/peer.ts'
import type { Answerer } from '../../support/api/fake-api-server.ts'
import { sendJson, sendStatus, startFakeApiServer } from '../../support/api/fake-api-server.ts'
import { nameOf, pod, podList, say, startPods } from '../../support/api/fake-pods.ts'
import { servedClient } from '../../support/api/served-client.ts'

const PODS = '/api/v1/namespaces/default/pods'
const PATH = `${PODS}/a`
const KIND = { apiVersion: 'v1', kind: 'Pod' }
const POD = { ...KIND, metadata: { name: 'a' }, spec: { futureField: [1e21, null, 'ü'] } }
const sendPod: Answerer = (_, response) => sendJson(response, POD)

test('is what use cases need of a plane', () => {
  expectTypeOf<KubeClient>().toExtend<PlaneApi>()
})

test('speaks with its client certificate over one connection that it keeps', async () => {
  const { client, server } = await servedClient(sendPod)

  for (let index = 0; index < 20; index += 1) {
    await client.get(PATH)
  }

  expect(server.connections()).toBe(1)
  expect(server.requests).toHaveLength(20)
  expect(server.requests[0]).toMatchObject({
    method: 'GET',
    path: PATH,
    user: 'tester',
    headers: { accept: 'application/json', 'user-agent': expect.stringMatching(/^vplane\/\d/) },
  })
})

test('sends a bearer token when it has one', async () => {
  const { client, server } = await servedClient(sendPod, {}, { token: 'abc' })

  await client.get(PATH)

  expect(server.requests[0]?.headers.authorization).toBe('Bearer abc')
})

test("puts the path of the server's address before every path", async () => {
  await using server = await startFakeApiServer(sendPod)
  const address = `${server.connection.server}/clusters/one/`
  await using client = createKubeClient({ ...server.connection, server: address })

  await client.get(PATH)

  expect(server.requests[0]?.path).toBe(`/clusters/one${PATH}`)
})

test('passes fields that nobody knows in both directions', async () => {
  const { client } = await servedClient((request, response) => sendJson(response, request.body))

  expect(await client.create(PODS, POD)).toEqual(POD)
  expect(await client.apply(PATH, POD)).toEqual(POD)
})

test('gives answers without metadata an empty one', async () => {
  const { client } = await servedClient((_, response) =>
    sendJson(response, { kind: 'APIResourceList', groupVersion: 'v1', resources: [] }),
  )

  expect(await client.get('/api/v1')).toEqual({
    apiVersion: '',
    kind: 'APIResourceList',
    metadata: {},
    groupVersion: 'v1',
    resources: [],
  })
})

test('creates as field manager vplane, on trial when asked', async () => {
  const { client, server } = await servedClient((_, response) => sendJson(response, POD, 201))

  await client.create(PODS, POD)
  await client.create(PODS, POD, { dryRun: true })

  expect(server.requests).toMatchObject([
    { method: 'POST', headers: { 'content-type': 'application/json' }, body: POD },
    { method: 'POST', body: POD },
  ])
  expect(server.requests.map(({ query }) => query)).toEqual([
    { fieldManager: 'vplane' },
    { fieldManager: 'vplane', dryRun: 'All' },
  ])
})

test('lets the server refuse fields that it does not know when asked', async () => {
  await using server = await startFakeApiServer(sendPod)
  const peer = createPeer(server.connection, PATIENCE)
  await using client = kubeClientOf(peer, { fieldValidation: 'Strict' })

  await client.create(PODS, POD)
  await client.replace(PATH, POD)
  await client.patch(PATH, {}, { type: 'merge' })

  const strict = { fieldManager: 'vplane', fieldValidation: 'Strict' }
  expect(server.requests.map(({ query }) => query)).toEqual([strict, strict, strict])
})

test.for([
  ['and takes fields over', {}, { force: 'true' }],
  ['on trial, without force', { force: false, dryRun: true }, { force: 'false', dryRun: 'All' }],
] as const)('applies on the server %s', async ([, options, query]) => {
  const { client, server } = await servedClient(sendPod)

  await client.apply(PATH, POD, options)

  const headers = { 'content-type': 'application/apply-patch+yaml' }
  expect(server.requests).toMatchObject([{ method: 'PATCH', headers, body: POD }])
  expect(server.requests[0]?.query).toEqual({ fieldManager: 'vplane', ...query })
})

test('lists what a selection is of, page by page', async () => {
  const selection = { labelSelector: 'vplane.dev/name=dev', fieldSelector: 'status.phase=Running' }
  const { client, server } = await servedClient((request, response) =>
    request.query['continue'] === undefined
      ? sendJson(response, podList([pod('a', 1)], { continue: 'more' }))
      : sendJson(response, podList([pod('b', 2)], { resourceVersion: '7' })),
  )

  const list = await client.list('/api/v1/pods', selection)

  const items = [pod('a', 1), pod('b', 2)].map((item) => ({ ...KIND, ...item }))
  expect(list).toEqual({ items, resourceVersion: '7' })
  expect(server.requests.map(({ query }) => query)).toEqual([
    { ...selection, limit: '500' },
    { ...selection, limit: '500', continue: 'more' },
  ])
})

test('lists more in one page than a function can have arguments', async () => {
  const page = podList(Array.from({ length: 150_000 }, () => pod('a', 1)))
  const { client } = await servedClient((_, response) => sendJson(response, page))

  expect((await client.list('/api/v1/pods')).items).toHaveLength(150_000)
})

test('watches what a selection is of', async () => {
  await using server = await startPods({ lists: [[]], watches: [say('ADDED', pod('a', 8))] })
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
  const { client, server } = await servedClient(sendPod)

  expect(await client.patch(PATH, [{ op: 'test' }], { type })).toEqual(POD)

  const headers = { 'content-type': contentType }
  const query = { fieldManager: 'vplane' }
  expect(server.requests).toMatchObject([
    { method: 'PATCH', query, headers, body: [{ op: 'test' }] },
  ])
})

test('replaces an object', async () => {
  const { client, server } = await servedClient((request, response) =>
    request.path.endsWith('/old') ? sendStatus(response, 409) : sendJson(response, POD),
  )

  expect(await client.replace(PATH, POD)).toEqual(POD)
  await expect(client.replace('/api/v1/pods/old', POD)).rejects.toMatchObject({ code: 'CONFLICT' })

  expect(server.requests[0]).toMatchObject({
    method: 'PUT',
    query: { fieldManager: 'vplane' },
    headers: { 'content-type': 'application/json' },
    body: POD,
  })
})

test('deletes only the object that is meant', async () => {
  const { client, server } = await servedClient((request, response) =>
    request.path.endsWith('/other') ? sendStatus(response, 409) : sendJson(response, POD),
  )

  await client.delete(PATH, { uid: 'u-1', propagation: 'Background' })
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

test('tells whether there was something to get or to delete', async () => {
  const { client } = await servedClient((request, response) =>
    request.path.endsWith('/here') ? sendJson(response, POD) : sendStatus(response, 404),
  )

  expect(await client.delete('/api/v1/nodes/here')).toBe(true)
  expect(await client.delete('/api/v1/nodes/gone')).toBe(false)
  expect(await client.get('/api/v1/nodes/gone')).toBeUndefined()
})

test('gives plain text whatever the status', async () => {
  const { client, server } = await servedClient((_, response) => {
    response.writeHead(500).end('[-]etcd failed')
  })

  expect(await client.text('/readyz')).toEqual({ status: 500, body: '[-]etcd failed' })
  expect(server.requests).toHaveLength(1)
})

test('closes all of its connections when it is disposed', async () => {
  const { client, server } = await servedClient(sendPod)
  await Promise.all(Array.from({ length: 5 }, () => client.get(PATH)))
  await server.openConnections(5)

  await client[Symbol.asyncDispose]()

  await server.openConnections(0)
})

test('fails what is under way when it is disposed', async () => {
  const { client, server } = await servedClient(() => {})
  const failure = expect(client.get(PATH)).rejects.toMatchObject({ code: 'ABORTED' })
  await server.openConnections(1)

  await client[Symbol.asyncDispose]()

  await failure
  await expect(client.get(PATH)).rejects.toMatchObject({ code: 'ABORTED' })
})

test.for(['get', 'delete', 'text'] as const)(
  'ends %s with the reason of a signal',
  async (method) => {
    const { client, server } = await servedClient(() => {})
    const controller = new AbortController()
    const reason = new Error('enough')
    const failure = expect(client[method](PATH, controller)).rejects.toBe(reason)
    await server.openConnections(1)

    controller.abort(reason)

    await failure
    await server.openConnections(0)
  },
)

test('sends nothing when the signal has fired before', async () => {
  const { client, server } = await servedClient(sendPod)
  const reason = new Error('enough')

  const answer = client.apply(PATH, POD, { signal: AbortSignal.abort(reason) })

  await expect(answer).rejects.toBe(reason)
  expect(server.requests).toEqual([])
})

test('serves many requests with one signal without a warning', async ({ onTestFinished }) => {
  const warnings: Error[] = []
  const listener = (warning: Error) => warnings.push(warning)
  process.on('warning', listener)
  onTestFinished(() => void process.off('warning', listener))
  const { client } = await servedClient(sendPod)
  const { signal } = new AbortController()

  await Promise.all(Array.from({ length: 30 }, () => client.get(PATH, { signal })))

  expect(warnings).toEqual([])
})
