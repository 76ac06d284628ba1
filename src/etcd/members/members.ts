import { VplaneError } from '../../shared/errors.ts'
import type { EtcdConnection } from '../etcd-connection.ts'
import { nextLull } from './next-lull.ts'
import { askEtcd } from '../post-to-etcd.ts'
import { fieldAt, arrayAt, textAt, textsAt } from '../../shared/json-fields.ts'

/** What a member says that does not lead (etcd 3.6, api/v3rpc/rpctypes/error.go). */
const NOT_LEADER = 'etcdserver: not leader'

/** A member of etcd as the cluster knows it. */
export interface Member {
  /** Of 64 bits: a decimal number as text. */
  id: string
  /** Empty until its process has started. */
  name: string
  peerUrls: readonly string[]
  /** It copies what the others store, and has no vote yet. */
  isLearner: boolean
}

/**
 * All members, as a majority knows them.
 *
 * @throws {VplaneError} as `postToEtcd` does.
 */
export async function listMembers(
  connection: EtcdConnection,
  signal: AbortSignal,
): Promise<Member[]> {
  const body = { linearizable: true }
  const answer = await askEtcd(connection, { path: '/v3/cluster/member/list', body, signal })
  return arrayAt(answer, 'members').map(toMember)
}

/**
 * Makes room for a member that has not started yet; it begins as a learner, so that no majority waits for it.
 *
 * @throws {VplaneError} `FAILED` while the cluster is not healthy enough for it, and as `postToEtcd` does.
 */
export async function addLearner(
  connection: EtcdConnection,
  peerUrl: string,
  signal: AbortSignal,
): Promise<void> {
  const body = { peerURLs: [peerUrl], isLearner: true }
  await askEtcd(connection, { path: '/v3/cluster/member/add', body, signal })
}

/**
 * Gives a learner a vote.
 *
 * @throws {VplaneError} `FAILED` while it has not copied enough, and as `postToEtcd` does.
 */
export async function promoteLearner(
  connection: EtcdConnection,
  id: string,
  signal: AbortSignal,
): Promise<void> {
  await askEtcd(connection, { path: '/v3/cluster/member/promote', body: { ID: id }, signal })
}

/**
 * Takes a member out for good.
 *
 * @throws {VplaneError} as `addLearner` does.
 */
export async function removeMember(
  connection: EtcdConnection,
  id: string,
  signal: AbortSignal,
): Promise<void> {
  await askEtcd(connection, { path: '/v3/cluster/member/remove', body: { ID: id }, signal })
}

/**
 * Lets another member lead; one that leads no more when it comes to that does nothing. It does so in a lull: etcd drops
 * what is written while the lead goes over, which takes it some milliseconds.
 *
 * @throws {VplaneError} as `postToEtcd` does.
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
