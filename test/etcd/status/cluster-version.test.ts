import { expect, test } from 'vitest'
import { canRead, clusterVersion } from '../../../src/etcd/status/cluster-version.ts'
import { gatewayThatAnswers } from '../gateway-that-answers.ts'

const { signal } = new AbortController()

test.for([
  [200, { etcdserver: '3.7.0', etcdcluster: '3.6.0' }, '3.6.0'],
  [200, { etcdserver: '3.7.0', etcdcluster: 'not_decided' }, undefined],
  [503, {}, undefined],
] as const)('reads from %i %o: %s', async ([status, said, version]) => {
  const { gateway } = await gatewayThatAnswers(status, said)

  expect(await clusterVersion(gateway, signal)).toBe(version)
})

test.for([
  ['3.6.16', '3.6.0', true],
  ['3.7.0', '3.6.0', true],
  ['3.6.16', '3.7.0', false],
  ['3.9.0', '4.0.0', false],
] as const)('etcd %s continues a cluster of %s: %s', ([version, cluster, isFine]) => {
  expect(canRead(version, cluster)).toBe(isFine)
})
