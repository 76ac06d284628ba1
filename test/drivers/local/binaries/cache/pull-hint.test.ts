import { expect, test } from 'vitest'
import { pullHint } from '../../../../../src/drivers/local/binaries/cache/pull-hint.ts'
import { ETCD, KUBERNETES } from '../context.ts'

test.for([
  ['a release of Kubernetes by its version', KUBERNETES, '1.36.3', '1.36.3'],
  ['etcd by the version of Kubernetes beside it', ETCD, '1.34.4', '1.34.4'],
  ['another etcd by nothing', { ...ETCD, version: '3.5.1' }, '1.34.4', undefined],
] as const)('pulls %s', ([, release, beside, what]) => {
  expect(pullHint(release, beside)).toEqual(what && { action: 'get-binaries', what })
})
