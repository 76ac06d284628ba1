import type { CredentialSource } from '../connection.ts'
import { type ClusterConnection, toClusterConnection } from './cluster-connection.ts'
import type { ResolvedContext } from './kubeconfig/resolve-context.ts'
import { userCredentials, type UserOptions } from './user-credentials.ts'

/** The cluster of a context, and the credentials for it. */
export interface ContextConnection {
  cluster: ClusterConnection
  source: CredentialSource
}

/**
 * The connection to the cluster of a context. It connects and runs plugins only on use.
 *
 * @throws {VplaneError} `FAILED` when kubectl would not accept the context.
 */
export function contextConnection(
  { cluster: entry, name, user }: ResolvedContext,
  options: Omit<UserOptions, 'cluster' | 'context'>,
): ContextConnection {
  const cluster = toClusterConnection(entry, options.environment)
  return { cluster, source: userCredentials(user, { ...options, cluster, context: name }) }
}
