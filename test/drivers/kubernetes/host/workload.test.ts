import { expect, test } from 'vitest'
import {
  hostResourceOf,
  qualifiedName,
} from '../../../../src/drivers/kubernetes/host/host-resource.ts'
import type { Workload } from '../../../../src/drivers/kubernetes/host/workload.ts'
import { claimsOf, surgeOf, workloadsOf } from '../../../../src/drivers/kubernetes/host/workload.ts'
import { devManifests } from '../preflight/dev-manifests.ts'

test.for([
  [{ kind: 'StatefulSet', replicas: 3 }, 0],
  [{ replicas: 1, strategy: { type: 'Recreate' } }, 0],
  [{ replicas: 2, strategy: { rollingUpdate: { maxSurge: 1 } } }, 1],
  [{ replicas: 2, strategy: { rollingUpdate: { maxSurge: '100%' } } }, 2],
  [{ replicas: 5, strategy: { rollingUpdate: { maxSurge: '30%' } } }, 2],
  // What the host takes when nothing is said.
  [{ replicas: 4 }, 1],
  [{}, 1],
] as const)('counts the additional pods during a rollout: %j', ([fields, surge]) => {
  const { kind = 'Deployment', ...spec } = { kind: undefined, ...fields }
  const workload: Workload = { apiVersion: 'apps/v1', kind, metadata: { name: 'x' }, spec }

  expect(surgeOf(workload)).toBe(surge)
})

test('names volumes as the host does', () => {
  const claims = claimsOf(workloadsOf(devManifests({ preset: 'ha', storage: { size: '3Gi' } })))

  expect(claims).toEqual(
    [0, 1, 2].map((ordinal) => ({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: {
        name: `data-vplane-dev-etcd-${ordinal}`,
        labels: expect.objectContaining({ 'vplane.dev/component': 'etcd' }),
      },
      spec: expect.objectContaining({ resources: { requests: { storage: '3Gi' } } }),
    })),
  )
  expect(claimsOf(workloadsOf(devManifests({ ephemeral: true })))).toEqual([])
})

test.for([
  ['v1', 'Service', '/api/v1/namespaces/team-a/services/x', 'services'],
  ['apps/v1', 'StatefulSet', '/apis/apps/v1/namespaces/team-a/statefulsets/x', 'statefulsets.apps'],
  [
    'networking.k8s.io/v1',
    'NetworkPolicy',
    '/apis/networking.k8s.io/v1/namespaces/team-a/networkpolicies/x',
    'networkpolicies.networking.k8s.io',
  ],
] as const)('finds %s %s', ([apiVersion, kind, path, name]) => {
  const resource = hostResourceOf({ apiVersion, kind, metadata: { name: 'x' } }, 'team-a')

  expect(resource).toMatchObject({ path, collection: path.slice(0, -2) })
  expect(qualifiedName(resource)).toBe(name)
})
