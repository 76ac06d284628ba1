import type { CredentialSource } from '../connection.ts'
import { type ClusterConnection, toClusterConnection } from './cluster-connection.ts'
import type { ResolvedContext } from './kubeconfig/resolve-context.ts'
import { userCredentials, type UserOptions } from './user-credentials.ts'

/** Where a context leads to, and whom one is there. */
export interface ContextConnection {
  cluster: ClusterConnection
  source: CredentialSource
}

/**
 * What leads to the cluster of a context. Nothing is connected, and no plugin runs before it is used.
 *
 * @throws {VplaneError} `FAILED` when the context says what kubectl would not take.
 */
export function contextConnection(
  { cluster: entry, name, user }: ResolvedContext,
  options: Omit<UserOptions, 'cluster' | 'context'>,
): ContextConnection {
  const cluster = toClusterConnection(entry, options.environment)
  return { cluster, source: userCredentials(user, { ...options, cluster, context: name }) }
}
