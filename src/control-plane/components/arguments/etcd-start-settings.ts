import type { Layout } from './layout.ts'

/** A member of etcd, as the others find it. */
export interface PeerAddress {
  name: string
  /** Without a scheme. */
  advertisePeer: string
}

/**
 * The settings of a member of etcd that say how it begins without data; one with data does not read them.
 *
 * @param told those it is told of. With `new` it makes a cluster with them. With `existing` it takes the data of the others,
 *   and refuses to start when etcd has not the same members; when it is told of itself alone, it refuses always.
 */
export function startSettings(
  state: Layout['etcd']['initialState'],
  told: readonly PeerAddress[],
): Record<'initial-cluster' | 'initial-cluster-state', string> {
  return {
    'initial-cluster': told
      .map(({ advertisePeer, name }) => `${name}=https://${advertisePeer}`)
      .join(','),
    'initial-cluster-state': state,
  }
}
