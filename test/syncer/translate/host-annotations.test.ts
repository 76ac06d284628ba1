import { expect, test } from 'vitest'
import { isCopiedAnnotation } from '../../../src/syncer/translate/host-annotations.ts'

test.for([
  ['a plane of an earlier vplane', undefined, 'pods', 'note', true],
  ['no key', [], 'pods', 'note', false],
  ['no key, and the object is all it affects', [], 'pods', 'kubernetes.io/egress-bandwidth', true],
  ['no key, as of another kind', [], 'services', 'kubernetes.io/egress-bandwidth', false],
  ['this key', ['note'], 'secrets', 'note', true],
  ['a prefix', ['example.com/*'], 'pods', 'example.com/team', true],
  ['all keys', ['*'], 'pods', 'prometheus.io/scrape', true],
  ['all keys, of which one is dangerous', ['*'], 'pods', 'cdi.k8s.io/gpu', false],
  ['all keys, of which one mounts devices', ['*'], 'pods', 'devices.nri.io/container.main', false],
  ['a dangerous key', ['cdi.k8s.io/gpu'], 'pods', 'cdi.k8s.io/gpu', true],
  ['a key of vplane', ['vplane.dev/plane-id'], 'pods', 'vplane.dev/plane-id', false],
] as const)('copies annotations if the owner names them: %s', (example) => {
  const [, annotations, resource, key, isCopied] = example

  expect(isCopiedAnnotation({ annotations }, resource, key)).toBe(isCopied)
})
