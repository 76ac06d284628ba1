import { PATIENCE } from '../connection.ts'
import { contextConnection } from './context-connection.ts'
import { inClusterContext } from './in-cluster.ts'
import { createPeer, type Peer } from '../http/peer.ts'
import type { Environment } from '../../shared/environment.ts'

/** The host cluster of the pod that this process runs in, and its namespace. */
export interface HostPeer {
  peer: Peer
  namespace: string
}

/**
 * Opens the host cluster with the credential of this pod, which is read anew for every request.
 *
 * @throws {Error} when this process runs in no pod, or in one without a service account.
 */
export async function openHostPeer(
  environment: Environment,
  signal: AbortSignal,
): Promise<HostPeer> {
  const context = await inClusterContext(environment)
  if (context === undefined) {
    throw new Error('this runs in a pod with a service account alone')
  }
  const { cluster, source: credentials } = contextConnection(context, {
    environment,
    isInteractive: false,
    timeoutMs: 0,
    signal,
  })
  return {
    peer: createPeer({ ...cluster, credentials }, PATIENCE),
    namespace: context.namespace,
  }
}
