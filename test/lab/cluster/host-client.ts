import { createKubeClient, type KubeClient } from '../../../src/kube/client/client.ts'
import { readPki } from '../host/read-pki.ts'
import type { LabCluster } from './lab-cluster.ts'

/** A client of a host cluster that may do everything. */
export function hostClient({ folder, plan }: LabCluster): KubeClient {
  const pki = readPki(folder.pki, ['ca.crt', 'admin.crt', 'admin.key'])
  return createKubeClient({
    server: plan.server,
    certificateAuthority: pki['ca.crt'] ?? '',
    certificate: pki['admin.crt'] ?? '',
    key: pki['admin.key'] ?? '',
  })
}
