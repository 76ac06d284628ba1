import type { Layout } from './layout.ts'

export interface PeerAddress {
  name: string
  /** Without a scheme. */
  advertisePeer: string
}

/**
 * The settings by which an etcd member without data starts; a member with data ignores them. If the state is `new`, it
 * creates a cluster with `members`. If it is `existing`, it gets the data of the others, and refuses to start if the
 * cluster has other members, so that it always refuses if it is the only one here.
 */
export function startSettings(
  state: Layout['etcd']['initialState'],
  members: readonly PeerAddress[],
): Record<'initial-cluster' | 'initial-cluster-state', string> {
  const urls = members.map(({ advertisePeer, name }) => `${name}=https://${advertisePeer}`)
  return { 'initial-cluster': urls.join(','), 'initial-cluster-state': state }
}
