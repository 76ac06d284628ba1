import { expect, test } from 'vitest'
import { toHostMetadata } from '../../../src/syncer/translate/host-metadata.ts'
import { otherPlaneIdOf, virtualOf } from '../../../src/syncer/translate/host-metadata.ts'
import { hostOf, SCOPE, virtualObject } from './some-objects.ts'

const POD = { scope: SCOPE, resource: 'pods' } as const
const HOST = hostOf(virtualObject('ConfigMap'))
const CLUSTER_WIDE = {
  ...virtualObject('PriorityClass'),
  metadata: { name: 'high', uid: 'uid-of-high' },
}

test('marks a host object as one of the plane', () => {
  expect(toHostMetadata(POD, virtualObject('ConfigMap'))).toEqual({
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
  const metadata = toHostMetadata(POD, virtualObject('Pod', {}, { labels, annotations }))

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
  const plain = toHostMetadata(POD, virtualObject('Pod'))
  const { labels } = toHostMetadata(POD, virtualObject('Pod', {}, { labels: { [key]: 'Helm' } }))
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
  const plain = toHostMetadata(POD, virtualObject('Pod'))
  const hostile = virtualObject('Pod', {}, { annotations: { [key]: 'forged' } })

  expect(toHostMetadata(POD, hostile)).toEqual(plain)
})

test('has the host owner it is given, and none of the plane', () => {
  const owner = { apiVersion: 'v1', kind: 'Pod', name: 'web-x-shop-x-dev', uid: 'host-uid' }
  const ownerReferences = [{ apiVersion: 'v1', kind: 'Secret', name: 'vplane-dev-pki', uid: '1' }]
  const virtual = virtualObject('Secret', {}, { ownerReferences })

  expect(toHostMetadata({ ...POD, owner }, virtual).ownerReferences).toEqual([owner])
})

test('leaves out the namespace of what has none', () => {
  const { metadata } = hostOf(CLUSTER_WIDE)

  expect(metadata).not.toHaveProperty('namespace')
  expect(metadata.labels).not.toHaveProperty('vplane.dev/synced-namespace')
})

test('finds the virtual object of a host object again', () => {
  const virtual = { name: 'kube-root-ca.crt', namespace: 'shop', uid: 'uid-of-web' }
  const host = hostOf(virtualObject('ConfigMap', {}, virtual))

  expect(virtualOf(SCOPE, host)).toEqual(virtual)
  expect(otherPlaneIdOf(SCOPE, host)).toBeUndefined()
})

test('finds what is in no namespace', () => {
  expect(virtualOf(SCOPE, hostOf(CLUSTER_WIDE))).toEqual({ name: 'high', uid: 'uid-of-high' })
})

test.for([
  ['another name', { name: 'web-x-default-x-dev' }],
  ['another host namespace', { namespace: 'kube-system' }],
  ['no labels', { labels: {} }],
  ['no annotations', { annotations: {} }],
] as const)('does not take an object with %s for ours', ([, metadata]) => {
  const other = { ...HOST, metadata: { ...HOST.metadata, ...metadata } }

  expect(virtualOf(SCOPE, other)).toBeUndefined()
  expect(otherPlaneIdOf(SCOPE, other)).toBeUndefined()
})

test.for([
  ['labels', 'app.kubernetes.io/managed-by', 'Helm'],
  ['labels', 'vplane.dev/synced-by', 'prod'],
  ['labels', 'vplane.dev/synced-namespace', 'default'],
  ['annotations', 'vplane.dev/virtual-name', 'other'],
  ['annotations', 'vplane.dev/virtual-name', 'web\0shop'],
  ['annotations', 'vplane.dev/virtual-namespace', 'default'],
  ['annotations', 'vplane.dev/virtual-namespace', ''],
  ['annotations', 'vplane.dev/virtual-uid', ''],
  ['annotations', 'vplane.dev/plane-id', ''],
] as const)('does not take an object for ours whose %s say %s is "%s"', ([where, key, value]) => {
  const markers = { ...HOST.metadata[where], [key]: value }
  const other = { ...HOST, metadata: { ...HOST.metadata, [where]: markers } }

  expect(virtualOf(SCOPE, other)).toBeUndefined()
})

test('tells an object of another life of the plane', () => {
  const emptied = { ...SCOPE, planeId: 'new-kube-system' }

  expect(virtualOf(emptied, HOST)).toBeUndefined()
  expect(otherPlaneIdOf(emptied, HOST)).toBe(SCOPE.planeId)
})

test('has nothing to say of the objects of another plane', () => {
  const other = { ...SCOPE, plane: 'prod', planeId: 'prod-kube-system' }

  expect(virtualOf(other, HOST)).toBeUndefined()
  expect(otherPlaneIdOf(other, HOST)).toBeUndefined()
})
