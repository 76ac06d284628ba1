import type { KubeClient } from '../../../src/kube/client.ts'
import { applyObjects } from '../addons/apply-addons.ts'
import { authorityOf, issueClient } from '../host/host-pki.ts'
import { hostKubeconfig } from '../host/kubeconfig.ts'
import { readPki } from '../host/read-pki.ts'
import type { LabCluster } from './lab-cluster.ts'

/**
 * A kubeconfig of a user who may do everything in one namespace, by the ClusterRole `admin`, and nothing elsewhere. The
 * namespace is made when it is not there.
 */
export async function namespaceAdmin(
  { folder, plan, record }: LabCluster,
  client: KubeClient,
  { namespace, signal }: { namespace: string; signal: AbortSignal },
): Promise<string> {
  const user = `${namespace}-admin`
  await applyObjects(
    client,
    [
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: { name: user, namespace },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'admin' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
      },
    ],
    signal,
  )
  const authority = authorityOf(readPki(folder.pki, ['ca.crt', 'ca.key']))
  return hostKubeconfig({
    name: `${record.name}-${namespace}`,
    server: plan.server,
    certificateAuthority: authority.certificate,
    ...issueClient(authority, { user }, new Date()),
    namespace,
  })
}
