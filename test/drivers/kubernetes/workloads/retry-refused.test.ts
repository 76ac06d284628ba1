import { expect, test } from 'vitest'
import { retryRefused } from '../../../../src/drivers/kubernetes/workloads/retry-refused.ts'
import { objectLabels } from '../../../../src/manifests/object-names.ts'
import { MemoryHostApi } from '../../../support/api/memory-host-api.ts'
import { putObject } from '../fake-cluster.ts'

test.for([
  ['has none of its pods', { observedGeneration: 2 }, true],
  ['has one of two', { observedGeneration: 2, replicas: 1 }, true],
  ['has all of them, ready or not', { observedGeneration: 2, replicas: 2 }, false],
  ['was not looked at by the host yet', { observedGeneration: 1 }, false],
] as const)('has the host try again when a workload %s', async ([, status, isRetried]) => {
  const host = new MemoryHostApi()
  const metadata = { name: 'x', generation: 2, labels: objectLabels('dev', 'kube-apiserver') }
  const fields = { apiVersion: 'apps/v1', spec: { replicas: 2 }, status }
  const path = putObject(host, ['Deployment', metadata], fields)
  const place = { name: 'dev', namespace: 'team-a' }
  const signal = new AbortController().signal

  await retryRefused(host, place, signal)
  const once = host.objects.get(path)
  await retryRefused(host, place, signal)

  const twice = host.objects.get(path)
  expect(host.writes).toHaveLength(isRetried ? 2 : 0)
  // Each time it is a change.
  expect(twice?.metadata.annotations).not.toEqual(isRetried ? once?.metadata.annotations : {})
})
