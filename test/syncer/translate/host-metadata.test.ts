import { expect, test } from 'vitest'
import { toHostMetadata } from '../../../src/syncer/translate/host-metadata.ts'
import { SCOPE, virtualObject } from './some-objects.ts'

test('marks a host object as one of the plane', () => {
  expect(toHostMetadata(SCOPE, virtualObject('ConfigMap'))).toEqual({
    name: 'web-x-shop-x-dev',
    namespace: 'team-a',
    labels: {
      'app.kubernetes.io/managed-by': 'vplane-syncer',
      'vplane.dev/synced-by': 'dev',
      'vplane.dev/synced-namespace': 'shop',
    },
    annotations: {
      'vplane.dev/virtual-name': 'web',
      'vplane.dev/virtual-namespace': 'shop',
      'vplane.dev/virtual-uid': 'uid-of-web',
      'vplane.dev/plane-id': '6f9d3a3e-kube-system',
    },
  })
})

test('keeps the labels and annotations of the user', () => {
  const labels = { app: 'web', 'example.com/tier': 'front', 'app.kubernetes.io/name': 'web' }
  const annotations = { note: 'hello', 'prometheus.io/scrape': 'true' }
  const metadata = toHostMetadata(SCOPE, virtualObject('Pod', {}, { labels, annotations }))

  expect(metadata.labels).toMatchObject(labels)
  expect(metadata.annotations).toMatchObject(annotations)
})

test.for([
  'vplane.dev/name',
  'vplane.dev/synced-namespace',
  'vplane.dev/component',
  'vplane.dev/label-0123456789abcdef',
  'sync.vplane.dev/anything',
  'app.kubernetes.io/managed-by',
  'azure.workload.identity/use',
])('renames the label %s of a user', (key) => {
  const plain = toHostMetadata(SCOPE, virtualObject('Pod'))
  const { labels } = toHostMetadata(SCOPE, virtualObject('Pod', {}, { labels: { [key]: 'Helm' } }))
  const added = Object.keys(labels).filter((one) => labels[one] !== plain.labels[one])

  expect(labels).toMatchObject(plain.labels)
  expect(added).toEqual([expect.stringMatching(/^vplane\.dev\/label-[0-9a-f]{16}$/)])
  expect(added).not.toEqual([key])
})

test.for([
  'vplane.dev/plane-id',
  'vplane.dev/virtual-name',
  'x.vplane.dev/y',
  'kubectl.kubernetes.io/last-applied-configuration',
  'container.apparmor.security.beta.kubernetes.io/web',
  'cpu-quota.crio.io/web',
  'cdi.k8s.io/gpu',
  'replicator.v1.mittwald.de/replicate-from',
  'k8s.v1.cni.cncf.io/networks',
])('leaves the annotation %s of a user in the plane', (key) => {
  const plain = toHostMetadata(SCOPE, virtualObject('Pod'))
  const hostile = virtualObject('Pod', {}, { annotations: { [key]: 'forged' } })

  expect(toHostMetadata(SCOPE, hostile)).toEqual(plain)
})

test('has the host owner it is given, and none of the plane', () => {
  const owner = { apiVersion: 'v1', kind: 'Pod', name: 'web-x-shop-x-dev', uid: 'host-uid' }
  const virtual = virtualObject(
    'Secret',
    {},
    {
      ownerReferences: [{ apiVersion: 'v1', kind: 'Secret', name: 'vplane-dev-pki', uid: '1' }],
      finalizers: ['example.com/wait'],
    },
  )

  expect(toHostMetadata(SCOPE, virtual)).not.toHaveProperty('ownerReferences')
  expect(toHostMetadata(SCOPE, virtual, owner).ownerReferences).toEqual([owner])
  expect(toHostMetadata(SCOPE, virtual)).not.toHaveProperty('finalizers')
})

test('leaves out the namespace of what has none', () => {
  const metadata = toHostMetadata(SCOPE, {
    ...virtualObject('PriorityClass'),
    metadata: { name: 'high', uid: 'uid-of-high' },
  })

  expect(metadata).not.toHaveProperty('namespace')
  expect(metadata.labels).not.toHaveProperty('vplane.dev/synced-namespace')
})
