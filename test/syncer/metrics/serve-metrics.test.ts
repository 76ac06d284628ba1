import { expect, test } from 'vitest'
import { createKubeClient } from '../../../src/kube/client/client.ts'
import { serveMetrics } from '../../../src/syncer/metrics/serve-metrics.ts'
import { createTestCertificates } from '../../support/test-certificates.ts'
import { usageOf } from './some-usage.ts'

const PLANE = createTestCertificates()
const FRONT_PROXY = createTestCertificates()
const PODS = '/apis/metrics.k8s.io/v1beta1/pods'

/** The answer of the metrics API to a client. */
async function askedBy(
  client: { certificate: string; key: string } | undefined,
  clientName = 'tester',
) {
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
  return await asking.text(PODS)
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
