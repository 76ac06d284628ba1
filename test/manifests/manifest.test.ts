import { expect, test } from 'vitest'
import { collectionPathOf, type Manifest, objectPathOf } from '../../src/manifests/manifest.ts'

const objectOf = (apiVersion: string, kind: string): Manifest => ({
  apiVersion,
  kind,
  metadata: { name: 'y', namespace: 'x', labels: {} },
})

test.for([
  ['v1', 'Service', '/api/v1/namespaces/x/services'],
  ['v1', 'ConfigMap', '/api/v1/namespaces/x/configmaps'],
  ['v1', 'Endpoints', '/api/v1/namespaces/x/endpoints'],
  ['apps/v1', 'StatefulSet', '/apis/apps/v1/namespaces/x/statefulsets'],
  ['networking.k8s.io/v1', 'Ingress', '/apis/networking.k8s.io/v1/namespaces/x/ingresses'],
  [
    'networking.k8s.io/v1',
    'NetworkPolicy',
    '/apis/networking.k8s.io/v1/namespaces/x/networkpolicies',
  ],
  ['policy/v1', 'PodDisruptionBudget', '/apis/policy/v1/namespaces/x/poddisruptionbudgets'],
  [
    'monitoring.coreos.com/v1',
    'ServiceMonitor',
    '/apis/monitoring.coreos.com/v1/namespaces/x/servicemonitors',
  ],
  [
    'rbac.authorization.k8s.io/v1',
    'ClusterRoleBinding',
    '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
  ],
] as const)('finds %s %s at %s', ([apiVersion, kind, path]) => {
  const object = objectOf(apiVersion, kind)

  expect(collectionPathOf(object)).toBe(path)
  expect(objectPathOf(object)).toBe(`${path}/y`)
})
