import { VplaneError } from '../../shared/errors.ts'
import type { EtcdConnection } from '../etcd-connection.ts'
import { nextLull } from './next-lull.ts'
import { askEtcd } from '../post-to-etcd.ts'
import { fieldAt, arrayAt, textAt, textsAt } from '../../shared/json-fields.ts'

/** The refusal of a member that is not the leader (etcd 3.6, api/v3rpc/rpctypes/error.go). */
const NOT_LEADER = 'etcdserver: not leader'

/** An etcd member as the cluster lists it. */
export interface Member {
  /** A decimal number of 64 bits. */
  id: string
  /** Empty until its process has started. */
  name: string
  peerUrls: readonly string[]
  /** It copies the data of the others, and has no vote yet. */
  isLearner: boolean
}

/** Lists all members, as a majority knows them. @throws {VplaneError} as `postToEtcd` does. */
export async function listMembers(
  connection: EtcdConnection,
  signal: AbortSignal,
): Promise<Member[]> {
  const body = { linearizable: true }
  const answer = await askEtcd(connection, { path: '/v3/cluster/member/list', body, signal })
  return arrayAt(answer, 'members').map(toMember)
}

/**
 * Transfers leadership to another member; nothing happens if this one no longer leads. It waits for a moment without
 * writes, because etcd drops writes during the transfer, for some milliseconds.
 */
export async function moveLeader(
  connection: EtcdConnection,
  to: string,
  signal: AbortSignal,
): Promise<void> {
  const body = { targetID: to }
  const before = () => nextLull(connection, signal)
  try {
    await askEtcd(connection, { path: '/v3/maintenance/transfer-leadership', body, before, signal })
  } catch (error) {
    if (!(error instanceof VplaneError && error.message.includes(NOT_LEADER))) {
      throw error
    }
  }
}

function toMember(value: unknown): Member {
  return {
    id: textAt(value, 'ID') ?? '',
    name: textAt(value, 'name') ?? '',
    peerUrls: textsAt(value, 'peerURLs'),
    isLearner: fieldAt(value, 'isLearner') === true,
  }
}
