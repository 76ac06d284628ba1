import { expect, test } from 'vitest'
import { retryRefused } from '../../../../src/drivers/kubernetes/workloads/retry-refused.ts'
import { objectLabels } from '../../../../src/manifests/object-names.ts'
import { MemoryHostApi } from '../../../support/api/memory-host-api.ts'
import { objectOf } from '../fake-cluster.ts'

const DEPLOYMENTS = '/apis/apps/v1/namespaces/team-a/deployments'

test.for([
  ['has none of its pods', { observedGeneration: 2 }, true],
  ['has one of two', { observedGeneration: 2, replicas: 1 }, true],
  ['has all of them, ready or not', { observedGeneration: 2, replicas: 2 }, false],
  ['was not looked at by the host yet', { observedGeneration: 1 }, false],
] as const)('has the host try again when a workload %s', async ([, status, isRetried]) => {
  const host = new MemoryHostApi()
  const labels = objectLabels('dev', 'kube-apiserver')
  const metadata = { name: 'x', namespace: 'team-a', generation: 2, labels }
  host.put(`${DEPLOYMENTS}/x`, {
    ...objectOf('Deployment', metadata),
    spec: { replicas: 2 },
    status,
  })
  const place = { name: 'dev', namespace: 'team-a' }
  const signal = new AbortController().signal

  await retryRefused(host, place, signal)
  const once = host.objects.get(`${DEPLOYMENTS}/x`)
  await retryRefused(host, place, signal)

  const twice = host.objects.get(`${DEPLOYMENTS}/x`)
  expect(host.writes).toHaveLength(isRetried ? 2 : 0)
  // Each time it is a change.
  expect(twice?.metadata.annotations).not.toEqual(isRetried ? once?.metadata.annotations : {})
})
