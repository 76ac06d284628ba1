import { expect, test } from 'vitest'
import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'
import { addonObjects } from './apply-addons.ts'
import { objectPath } from './object-path.ts'

test('fills all images in', () => {
  const text = JSON.stringify(addonObjects('coredns.yaml'))

  expect(text).not.toContain('${')
  expect(text).toMatch(/"image":"[a-z0-9.]+\/[a-z0-9/-]+:v?[0-9.]+"/)
})

test('serves names at the address that kubelets tell pods', () => {
  const service = addonObjects('coredns.yaml').find(({ kind }) => kind === 'Service')

  expect(service?.['spec']).toMatchObject({ clusterIP: '10.96.0.10' })
})

test.for([
  [object('v1', 'Namespace', 'a'), '/api/v1/namespaces/a'],
  [object('v1', 'ConfigMap', 'n/a'), '/api/v1/namespaces/n/configmaps/a'],
  [object('v1', 'ServiceAccount', 'a'), '/api/v1/namespaces/default/serviceaccounts/a'],
  [object('apps/v1', 'Deployment', 'n/a'), '/apis/apps/v1/namespaces/n/deployments/a'],
  [object('storage.k8s.io/v1', 'StorageClass', 'a'), '/apis/storage.k8s.io/v1/storageclasses/a'],
  [
    object('rbac.authorization.k8s.io/v1', 'ClusterRole', 'system:a'),
    '/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Aa',
  ],
  [
    object('networking.k8s.io/v1', 'NetworkPolicy', 'n/a'),
    '/apis/networking.k8s.io/v1/namespaces/n/networkpolicies/a',
  ],
] as const)('knows where %o is', ([each, path]) => {
  expect(objectPath(each)).toBe(path)
})

/** `where` is a name, behind its namespace if it has one. */
function object(apiVersion: string, kind: string, where: string): KubeObject {
  const [name = '', namespace] = where.split('/').toReversed()
  return { apiVersion, kind, metadata: { name, ...(namespace === undefined ? {} : { namespace }) } }
}
