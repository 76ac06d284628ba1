import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Environment } from '../../shared/environment.ts'
import { PATIENCE } from '../connection.ts'
import { createPeer, type Peer } from '../http/peer.ts'
import { contextConnection } from './context-connection.ts'
import { KubeconfigEntry } from './kubeconfig/kubeconfig-entry.ts'
import type { ResolvedContext } from './kubeconfig/resolve-context.ts'
import { contentOf } from './kubeconfig/stored-credential.ts'
import { urlHost } from '../../shared/network/url-host.ts'

/** The folder with the token, CA and namespace of a pod's service account. */
const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount'

/** The cluster in which this process runs as a pod, as a context; undefined outside of a pod. */
export async function inClusterContext(
  environment: Environment,
  folder: string = SERVICE_ACCOUNT,
): Promise<ResolvedContext | undefined> {
  const host = environment['KUBERNETES_SERVICE_HOST'] ?? ''
  const port = environment['KUBERNETES_SERVICE_PORT'] ?? ''
  const token = join(folder, 'token')
  if (host === '' || port === '' || !existsSync(token)) {
    return undefined
  }
  const authority = join(folder, 'ca.crt')
  const file = join(folder, 'namespace')
  const namespace = existsSync(file) ? await contentOf({ what: 'namespace', file }) : undefined
  const entry = (what: string, fields: object) => new KubeconfigEntry(what, folder, fields)
  return {
    name: 'in-cluster',
    namespace: namespace?.trim() || 'default',
    cluster: entry('the cluster of this pod', {
      server: `https://${urlHost(host)}:${port}`,
      ...(existsSync(authority) && { 'certificate-authority': authority }),
    }),
    user: entry('the service account of this pod', { tokenFile: token }),
  }
}

/** Opens the cluster of this pod. @throws {Error} outside of a pod with a service account. */
export async function openHostPeer(
  environment: Environment,
  signal: AbortSignal,
): Promise<{ peer: Peer; namespace: string }> {
  const context = await inClusterContext(environment)
  if (context === undefined) {
    throw new Error('this works only in a pod with a service account')
  }
  const { cluster, source: credentials } = contextConnection(context, {
    environment,
    isInteractive: false,
    timeoutMs: 0,
    signal,
  })
  const peer = createPeer({ ...cluster, credentials }, PATIENCE)
  return { peer, namespace: context.namespace }
}
