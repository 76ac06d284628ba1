import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { KEEPER_NAME } from '../object-names.ts'

const RBAC = 'rbac.authorization.k8s.io'

/**
 * The objects by which a namespace permits a plane of another one, whose keeper does it, to write a Secret: the empty Secret, and a Role and a
 * RoleBinding for this Secret alone. The permission to create Secrets would be one for all Secrets of the namespace.
 */
export function credentialGrant(
  plane: { name: string; namespace: string },
  secret: { name: string; namespace: string },
): KubeObject[] {
  const { namespace } = secret
  const metadata = {
    name: ['vplane', plane.namespace, plane.name, secret.name].join(':'),
    namespace,
  }
  return [
    { apiVersion: 'v1', kind: 'Secret', metadata: { ...secret }, type: 'Opaque' },
    {
      apiVersion: `${RBAC}/v1`,
      kind: 'Role',
      metadata,
      rules: [
        {
          apiGroups: [''],
          resources: ['secrets'],
          resourceNames: [secret.name],
          verbs: ['get', 'patch'],
        },
      ],
    },
    {
      apiVersion: `${RBAC}/v1`,
      kind: 'RoleBinding',
      metadata,
      roleRef: { apiGroup: RBAC, kind: 'Role', name: metadata.name },
      subjects: [
        {
          kind: 'ServiceAccount',
          name: KEEPER_NAME,
          namespace: plane.namespace,
        },
      ],
    },
  ]
}
