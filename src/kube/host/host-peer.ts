import { PATIENCE } from '../connection.ts'
import { contextConnection } from './context-connection.ts'
import { inClusterContext } from './in-cluster.ts'
import { createPeer, type Peer } from '../http/peer.ts'
import type { Environment } from '../../shared/environment.ts'

/**
 * Opens the host cluster with the credential of the pod in which this process runs, and returns that pod's namespace.
 *
 * @throws {Error} when this process does not run in a pod with a service account.
 */
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
