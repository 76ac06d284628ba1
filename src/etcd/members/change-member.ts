import { VplaneError } from '../../shared/errors.ts'
import type { EtcdCluster } from './etcd-cluster.ts'
import { addLearner, promoteLearner, removeMember } from './members.ts'

/**
 * Adds the member of an ordinal as a learner, before its process starts.
 *
 * @throws {VplaneError} as `addLearner` does: `isTransient` reports whether a later attempt may succeed.
 */
export async function addMemberAt(
  cluster: EtcdCluster,
  ordinal: number,
  signal: AbortSignal,
): Promise<void> {
  await addLearner(await cluster.speaker(signal), cluster.peerUrl(ordinal), signal)
}

/**
 * Removes the member of an ordinal, if it exists. If it leads, another working member becomes the leader first.
 *
 * @throws {VplaneError} as `addMemberAt` does.
 */
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
    const heir = (await cluster.working(signal)).find((other) => other !== ordinal)
    if (heir !== undefined) {
      await cluster.moveLeader(ordinal, heir, signal)
    }
  }
  await removeMember(await cluster.speaker(signal), member.id, signal)
}

/**
 * Promotes the member of an ordinal to a voter, if it has started.
 *
 * @returns whether it has a vote.
 * @throws {VplaneError} as `addMemberAt` does, while it has not copied enough data.
 */
export async function promoteMemberAt(
  cluster: EtcdCluster,
  ordinal: number,
  signal: AbortSignal,
): Promise<boolean> {
  const member = await cluster.member(ordinal, signal)
  if (member?.isLearner === true && member.name !== '') {
    await promoteLearner(await cluster.speaker(signal), member.id, signal)
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
