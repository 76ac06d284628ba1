import { expect, test } from 'vitest'
import { createKubeClient } from '../../../src/kube/client/client.ts'
import type { MetricsOptions } from '../../../src/syncer/metrics/serve-metrics.ts'
import { answerMetrics, serveMetrics } from '../../../src/syncer/metrics/serve-metrics.ts'
import type { IssuedCertificate } from '../../../src/pki/issue/issue-certificate.ts'
import { refusal } from '../../support/api/memory-host-api.ts'
import { createTestCertificates } from '../../support/test-certificates.ts'
import { nodeOf, TIME, usageOf } from './some-usage.ts'

const PLANE = createTestCertificates()
const FRONT_PROXY = createTestCertificates()
const API = '/apis/metrics.k8s.io/v1beta1'

/** The answer of the metrics API to a client. */
async function askedBy(client: IssuedCertificate | undefined, clientName = 'tester') {
  await using server = await serveMetrics({
    address: '127.0.0.1',
    port: 0,
    tls: { ...PLANE.server, authorities: FRONT_PROXY.authority.certificate },
    clientName,
    readUsage: () => Promise.resolve([usageOf('web')]),
    nodes: { values: () => [] },
    onError: () => {},
  })
  await using asking = createKubeClient({
    server: `https://127.0.0.1:${server.port}`,
    certificateAuthority: PLANE.authority.certificate,
    ...client,
  })
  return await asking.text(`${API}/pods`)
}

test("answers the plane's front proxy", async () => {
  const { body, status } = await askedBy(FRONT_PROXY.client)

  expect(status).toBe(200)
  expect(JSON.parse(body)).toMatchObject({ items: [{ metadata: { name: 'web' } }] })
})

test('lets in nobody else whom the front proxy CA knows', async () => {
  expect(await askedBy(FRONT_PROXY.client, 'front-proxy-client')).toMatchObject({
    status: 403,
    body: expect.stringContaining('is not the front proxy'),
  })
})

test.for([
  ['without a certificate', undefined],
  ["of the plane's own CA", PLANE.client],
  ['of a third CA', createTestCertificates().client],
] as const)('shakes no hands with a client %s', async ([, client]) => {
  await expect(askedBy(client)).rejects.toMatchObject({ code: 'UNREACHABLE' })
})

const USAGES = [
  usageOf('web', { labels: { app: 'web' } }),
  usageOf('job', { nanoCores: 1_000_000, node: 'worker-8' }),
  usageOf('db', { namespace: 'data', timestamp: '2026-06-01T12:00:05Z' }),
]

async function asked(path: string, options: Partial<MetricsOptions> = {}, method = 'GET') {
  const errors: unknown[] = []
  const { body, status } = await answerMetrics(
    { method, url: path },
    {
      readUsage: () => Promise.resolve(USAGES),
      nodes: { values: () => [nodeOf('worker-7', { zone: 'a' }), nodeOf('worker-9')] },
      onError: (_, error) => errors.push(error),
      ...options,
    },
  )
  return { status, errors, body: JSON.parse(body) }
}

const namesIn = (body: { items?: Array<{ metadata: { name: string } }> }) =>
  body.items?.map(({ metadata }) => metadata.name)

test('says which resources there are', async () => {
  const { body } = await asked(API)

  expect(body).toMatchObject({
    kind: 'APIResourceList',
    groupVersion: 'metrics.k8s.io/v1beta1',
    resources: [
      { name: 'nodes', kind: 'NodeMetrics', namespaced: false, verbs: ['get', 'list'] },
      { name: 'pods', kind: 'PodMetrics', namespaced: true, verbs: ['get', 'list'] },
    ],
  })
})

test.for([
  ['/pods', ['web', 'job', 'db']],
  ['/namespaces/default/pods', ['web', 'job']],
  ['/namespaces/data/pods?limit=500', ['db']],
  ['/namespaces/other/pods', []],
  ['/namespaces/default/pods?labelSelector=app%3Dweb', ['web']],
  ['/pods?fieldSelector=metadata.namespace%3Ddata', ['db']],
  ['/nodes', ['worker-7']],
  ['/nodes?labelSelector=zone%21%3Da', []],
] as const)('lists %s', async ([path, names]) => {
  const { body, status } = await asked(API + path)

  expect(status).toBe(200)
  expect(body.kind).toBe(path.includes('/nodes') ? 'NodeMetricsList' : 'PodMetricsList')
  expect(namesIn(body)).toEqual(names)
})

test('gives the metrics of one pod, with its labels', async () => {
  const { body } = await asked(`${API}/namespaces/default/pods/web`)

  const place = { name: 'web', namespace: 'default' }
  expect(body).toEqual({
    kind: 'PodMetrics',
    apiVersion: 'metrics.k8s.io/v1beta1',
    metadata: { ...place, labels: { app: 'web' }, creationTimestamp: TIME },
    timestamp: TIME,
    window: '15s',
    containers: [{ name: 'app', usage: { cpu: '250000000n', memory: '67108864' } }],
  })
})

test("gives as the metrics of a node the sum of the plane's pods there", async () => {
  const { body } = await asked(`${API}/nodes/worker-7`)

  expect(body).toMatchObject({
    kind: 'NodeMetrics',
    metadata: { name: 'worker-7', labels: { zone: 'a' } },
    timestamp: '2026-06-01T12:00:05Z',
    usage: { cpu: '500000000n', memory: '134217728' },
  })
})

test('gives those of host nodes where the plane shows these, and of no other', async () => {
  const onHost = ['worker-7', 'worker-8', 'made-by-a-user'].map((name) => ({
    apiVersion: 'metrics.k8s.io/v1beta1',
    kind: 'NodeMetrics',
    metadata: { name, labels: { secret: 'of the host' } },
    timestamp: TIME,
    window: '20s',
    usage: { cpu: '3', memory: '20Gi' },
  }))
  const labels = { 'vplane.dev/virtual': 'true' }
  const { body } = await asked(`${API}/nodes`, {
    nodes: { values: () => [nodeOf('worker-7', labels), nodeOf('made-by-a-user')] },
    readNodes: () => Promise.resolve(onHost),
  })

  expect(body.items).toEqual([
    { ...onHost[0], metadata: { name: 'worker-7', labels, creationTimestamp: TIME } },
  ])
})

test.for([
  ['GET', '/namespaces/default/pods/db', 404, 'pods.metrics.k8s.io "db" not found'],
  ['GET', '/nodes/worker-9', 404, 'nodes.metrics.k8s.io "worker-9" not found'],
  ['GET', '/namespaces/default/nodes', 404, 'could not find'],
  ['GET', '/services', 404, 'could not find'],
  ['GET', '/../v1/pods', 404, 'could not find'],
  ['GET', '/pods?labelSelector=%28', 400, 'unable to parse'],
  ['GET', '/pods?watch=true', 405, 'not be watched'],
  ['DELETE', '/namespaces/default/pods/web', 405, 'can only be read'],
] as const)('answers %s %s with %d', async ([method, path, status, message]) => {
  const answer = await asked(API + path, {}, method)

  const said = { code: status, message: expect.stringContaining(message) }
  expect(answer).toMatchObject({ status, body: { kind: 'Status', status: 'Failure', ...said } })
})

test('says what it has though the host does not answer, and nothing about the host', async () => {
  const error = refusal(403, 'User "system:serviceaccount:team-a:x" cannot list pods')
  const options = { readUsage: () => Promise.reject(error) }

  expect(await asked(API, options)).toMatchObject({ status: 200, errors: [] })
  expect(await asked(`${API}/pods`, options)).toMatchObject({
    status: 503,
    errors: [error],
    body: { message: 'the host cluster has no metrics now' },
  })
})
