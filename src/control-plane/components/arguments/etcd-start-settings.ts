import type { Layout } from './layout.ts'

/** The name and address of an etcd member for the other members. */
export interface PeerAddress {
  name: string
  /** Without a scheme. */
  advertisePeer: string
}

/**
 * The settings by which an etcd member without data starts; a member with data ignores them.
 *
 * @param members With `new` it creates a cluster with them. With `existing` it gets the data of the others, and refuses to
 *   start if the cluster has other members, so that it always refuses if it is the only one here.
 */
export function startSettings(
  state: Layout['etcd']['initialState'],
  members: readonly PeerAddress[],
): Record<'initial-cluster' | 'initial-cluster-state', string> {
  const urls = members.map(({ advertisePeer, name }) => `${name}=https://${advertisePeer}`)
  return { 'initial-cluster': urls.join(','), 'initial-cluster-state': state }
}
