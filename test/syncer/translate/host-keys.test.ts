import { expect, test } from 'vitest'
import { toHostLabelKey, toHostLabels } from '../../../src/syncer/translate/host-keys.ts'

test.for([
  ['a plane of an earlier vplane', undefined, 'app', true],
  ['no key', [], 'app', false],
  ['this key', ['app'], 'app', true],
  ['another key', ['app'], 'apps', false],
  ['a prefix', ['example.com/*'], 'example.com/team', true],
  ['another prefix', ['example.com/*'], 'example.org/team', false],
  ['all keys', ['*'], 'sidecar.istio.io/inject', true],
  ['all keys, of which one gives an identity', ['*'], 'azure.workload.identity/use', false],
  ['the key of an identity', ['azure.workload.identity/use'], 'azure.workload.identity/use', true],
  ['a key of vplane', ['vplane.dev/synced-by'], 'vplane.dev/synced-by', false],
] as const)('keeps labels if the owner names them: %s', ([, labels, key, isKept]) => {
  const hostKey = toHostLabelKey({ labels }, key)

  expect(hostKey === key).toBe(isKept)
  expect(hostKey).toMatch(isKept ? key : /^vplane\.dev\/label-[0-9a-f]{16}$/)
})

test('renames each key in the same way, so that selectors match', () => {
  const scope = { labels: [] }

  expect(toHostLabels(scope, { app: 'web' })).toEqual({ [toHostLabelKey(scope, 'app')]: 'web' })
  expect(toHostLabelKey(scope, 'app')).not.toBe(toHostLabelKey(scope, 'apps'))
})
