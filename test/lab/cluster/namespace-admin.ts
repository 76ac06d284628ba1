import type { KubeClient } from '../../../src/kube/client/client.ts'
import { isRecord } from '../../../src/shared/json-fields.ts'
import { waitFor } from '../../../src/shared/wait.ts'
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
  await waitFor((deadline) => mayWork(client, { user, namespace, signal: deadline }), {
    what: `the rights of "${user}"`,
    timeoutMs: 30_000,
    signal,
  })
  const authority = authorityOf(readPki(folder.pki, ['ca.crt', 'ca.key']))
  return hostKubeconfig({
    name: `${record.name}-${namespace}`,
    server: plan.server,
    certificateAuthority: authority.certificate,
    ...issueClient(authority, { user }, new Date()),
    namespace,
  })
}

/** Whether a host goes by the rights of a user already: it does a moment after they are stored. */
async function mayWork(
  client: KubeClient,
  { namespace, signal, user }: { user: string; namespace: string; signal: AbortSignal },
): Promise<boolean> {
  const review = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    metadata: {},
    spec: {
      user,
      resourceAttributes: { namespace, verb: 'create', group: 'apps', resource: 'deployments' },
    },
  }
  const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews'
  const { status } = await client.create(path, review, { signal })
  return isRecord(status) && status['allowed'] === true
}
