import { expect, test } from 'vitest'
import { credentialGrant } from '../../../src/manifests/credentials/credential-grant.ts'

test('permits the keeper of a namespace to change one Secret, which exists already', () => {
  const place = { name: 'cluster', namespace: 'argocd' }
  const metadata = { name: 'vplane:team-a:dev:cluster', namespace: 'argocd' }
  const group = 'rbac.authorization.k8s.io'

  expect(credentialGrant({ name: 'dev', namespace: 'team-a' }, place)).toEqual([
    { apiVersion: 'v1', kind: 'Secret', metadata: place, type: 'Opaque' },
    {
      apiVersion: `${group}/v1`,
      kind: 'Role',
      metadata,
      rules: [
        {
          apiGroups: [''],
          resources: ['secrets'],
          resourceNames: ['cluster'],
          verbs: ['get', 'patch'],
        },
      ],
    },
    {
      apiVersion: `${group}/v1`,
      kind: 'RoleBinding',
      metadata,
      roleRef: { apiGroup: group, kind: 'Role', name: metadata.name },
      subjects: [{ kind: 'ServiceAccount', name: 'vplane-keeper', namespace: 'team-a' }],
    },
  ])
})
