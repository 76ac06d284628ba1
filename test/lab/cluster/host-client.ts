import { createKubeClient, type KubeClient } from '../../../src/kube/client/client.ts'
import { readPki } from '../host/read-pki.ts'
import type { ClusterFolder } from './state/cluster-folder.ts'

/** A client of a host cluster that may do everything. */
export function hostClient({
  folder,
  plan,
}: {
  folder: ClusterFolder
  plan: { server: string }
}): KubeClient {
  const pki = readPki(folder.pki, ['ca.crt', 'admin.crt', 'admin.key'])
  return createKubeClient({
    server: plan.server,
    certificateAuthority: pki['ca.crt'] ?? '',
    certificate: pki['admin.crt'] ?? '',
    key: pki['admin.key'] ?? '',
  })
}
