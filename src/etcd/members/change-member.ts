import { VplaneError } from '../../shared/errors.ts'
import { changeList } from './change-membership.ts'
import type { EtcdCluster } from './etcd-cluster.ts'

/**
 * Adds the member of an ordinal before its process starts, as a learner, so that no majority waits for it.
 * @throws {VplaneError} `FAILED` while the cluster is not healthy enough; `isTransient` reports whether to try again.
 */
export async function addMemberAt(
  cluster: Pick<EtcdCluster, 'peerUrl' | 'speaker'>,
  ordinal: number,
  signal: AbortSignal,
): Promise<void> {
  await changeList(cluster, { kind: 'add-member', ordinal }, signal)
}

/** Removes the member of an ordinal, if it exists. If it leads, another working member leads first. */
export async function removeMemberAt(
  cluster: EtcdCluster,
  ordinal: number,
  signal: AbortSignal,
): Promise<void> {
  const member = await cluster.member(ordinal, signal)
  if (member === undefined) {
    return
  }
  if ((await cluster.leader(signal)) === ordinal) {
    const successor = (await cluster.working(signal)).find((other) => other !== ordinal)
    if (successor !== undefined) {
      await cluster.moveLeader(ordinal, successor, signal)
    }
  }
  await changeList(cluster, { kind: 'remove-member', ordinal, id: member.id }, signal)
}

/**
 * Promotes the member of an ordinal to a voter if it has started; returns whether it has a vote.
 * @throws {VplaneError} `FAILED` while it has not copied enough data.
 */
export async function promoteMemberAt(
  cluster: EtcdCluster,
  ordinal: number,
  signal: AbortSignal,
): Promise<boolean> {
  const member = await cluster.member(ordinal, signal)
  if (member?.isLearner === true && member.name !== '') {
    await changeList(cluster, { kind: 'promote-member', ordinal, id: member.id }, signal)
  }
  return member !== undefined && member.name !== ''
}

/** Errors that occur while the members connect to each other. */
const TRANSIENT =
  /with status 503|in sync with leader|not enough started members|too many learner|leader changed|unhealthy/

/** Whether the next attempt may succeed. */
export function isTransient(error: unknown): error is VplaneError {
  return (
    error instanceof VplaneError &&
    (error.code === 'UNREACHABLE' || error.code === 'TIMED_OUT' || TRANSIENT.test(error.message))
  )
}
