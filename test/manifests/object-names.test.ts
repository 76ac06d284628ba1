import { expect, test } from 'vitest'
import { parseName } from '../../src/control-plane/plane/names.ts'
import { clusterObjectName, objectLabels, objectName } from '../../src/manifests/object-names.ts'

test('never gives objects of two planes the same name', () => {
  const etcd = ['etcd', 'etcd-access', 'etcd-peers']
  const suffixes = ['api', 'ca', ...etcd, 'kube-apiserver', 'kube-controller-manager']
  const collisions = suffixes.flatMap((one) =>
    suffixes.filter((other) => one !== other && one.endsWith(`-${other}`)),
  )

  expect(collisions).toEqual([])
  expect(objectName('dev', 'etcd')).toBe('vplane-dev-etcd')
})

test.for([
  // Services are DNS labels; a revision of a StatefulSet is a label of 11 characters more.
  ['api', 63],
  ['kube-apiserver', 63],
  ['etcd-peers', 63],
  ['etcd', 52],
] as const)('accepts the longest name of a plane in %s', ([suffix, most]) => {
  const longest = parseName('x'.repeat(40))

  expect(objectName(longest, suffix).length).toBeLessThanOrEqual(most)
})

test('labels an object with its plane and component', () => {
  const labels = { 'app.kubernetes.io/managed-by': 'vplane', 'vplane.dev/name': 'dev' }

  expect(objectLabels('dev')).toEqual(labels)
  expect(objectLabels('dev', 'etcd')).toEqual({ ...labels, 'vplane.dev/component': 'etcd' })
})

test('gives cluster-scoped objects unique names from the plane and its namespace', () => {
  const names = [
    { name: 'b-c', namespace: 'a' },
    { name: 'c', namespace: 'a-b' },
    { name: 'a', namespace: 'b-c' },
  ].map((place) => clusterObjectName(place, 'syncer'))

  expect(names[0]).toBe('vplane:a:b-c:syncer')
  expect(new Set(names).size).toBe(3)
})
