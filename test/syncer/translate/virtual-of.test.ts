import { expect, test } from 'vitest'
import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'
import { toHostMetadata } from '../../../src/syncer/translate/host-metadata.ts'
import { otherPlaneIdOf, virtualOf } from '../../../src/syncer/translate/virtual-of.ts'
import { SCOPE, virtualObject } from './some-objects.ts'

test('finds the virtual object of a host object again', () => {
  const virtual = { name: 'kube-root-ca.crt', namespace: 'shop', uid: 'uid-of-web' }

  expect(virtualOf(SCOPE, hostObject(virtual))).toEqual(virtual)
  expect(otherPlaneIdOf(SCOPE, hostObject(virtual))).toBeUndefined()
})

test('finds what is in no namespace', () => {
  const host = { ...hostObject(), metadata: toHostMetadata(SCOPE, clusterWide()) }

  expect(virtualOf(SCOPE, host)).toEqual({ name: 'high', uid: 'uid-of-high' })
})

test.for([
  ['another name', { name: 'web-x-default-x-dev' }],
  ['another host namespace', { namespace: 'kube-system' }],
  ['no labels', { labels: {} }],
  ['no annotations', { annotations: {} }],
] as const)('does not take an object with %s for ours', ([, metadata]) => {
  const host = hostObject()
  const other = { ...host, metadata: { ...host.metadata, ...metadata } }

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
  const host = hostObject()
  const markers = { ...host.metadata[where], [key]: value }

  expect(
    virtualOf(SCOPE, { ...host, metadata: { ...host.metadata, [where]: markers } }),
  ).toBeUndefined()
})

test('tells an object of another life of the plane', () => {
  const emptied = { ...SCOPE, planeId: 'new-kube-system' }

  expect(virtualOf(emptied, hostObject())).toBeUndefined()
  expect(otherPlaneIdOf(emptied, hostObject())).toBe(SCOPE.planeId)
})

test('has nothing to say of the objects of another plane', () => {
  const other = { ...SCOPE, plane: 'prod', planeId: 'prod-kube-system' }

  expect(virtualOf(other, hostObject())).toBeUndefined()
  expect(otherPlaneIdOf(other, hostObject())).toBeUndefined()
})

function hostObject(metadata: Partial<KubeObject['metadata']> = {}): KubeObject {
  const virtual = virtualObject('ConfigMap', {}, metadata)
  return { ...virtual, metadata: { ...toHostMetadata(SCOPE, virtual) } }
}

function clusterWide(): KubeObject {
  return {
    ...virtualObject('PriorityClass'),
    metadata: { name: 'high', uid: 'uid-of-high' },
  }
}
