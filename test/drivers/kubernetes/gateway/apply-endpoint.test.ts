import { expect, test } from 'vitest'
import { applyEndpoint } from '../../../../src/drivers/kubernetes/gateway/apply-endpoint.ts'
import { leadToGateway } from '../../../../src/drivers/kubernetes/gateway/endpoint-switch.ts'
import type { KubeObject } from '../../../../src/shared/kube/kube-object.ts'
import { objectName } from '../../../../src/manifests/object-names.ts'
import { FakeCluster, putObject } from '../fake-cluster.ts'

const place = { name: 'dev', namespace: 'team-a', labels: {} }
const { signal } = new AbortController()
const selector = { a: 'b' }
const ports = [{ name: 'https', port: 443, targetPort: 'https' }]

test.for([
  [1, 'https'],
  [3, 'CONFLICT'],
] as const)('another change comes meanwhile, %i times: %s', async ([times, expected]) => {
  let changes = 0
  const { api } = new FakeCluster({
    onRequest: async ({ verb }) => {
      if (verb === 'patch' && service !== undefined && changes < times) {
        changes += 1
        api.put(path, { ...service, changes })
      }
    },
  })
  let service: KubeObject | undefined
  const path = putObject(api, ['Service', { name: objectName('dev', 'api') }], {
    spec: { selector, ports },
  })
  await leadToGateway(api, place, { port: 20_001, signal })
  service = api.objects.get(path)
  const metadata = { name: objectName('dev', 'api'), namespace: 'team-a', labels: {} }
  const endpoint = [{ apiVersion: 'v1', kind: 'Service', metadata, spec: { selector, ports } }]

  const outcome = await applyEndpoint(api, place, { endpoint, isAsleep: false, signal }).then(
    ([applied]) => applied?.['spec'],
    (error: unknown) => error,
  )

  expect(outcome).toMatchObject(
    expected === 'CONFLICT' ? { code: expected } : { ports: [{ targetPort: expected }] },
  )
  expect(changes).toBe(times)
})
