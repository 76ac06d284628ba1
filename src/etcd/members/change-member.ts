import { VplaneError } from '../../shared/errors.ts'
import type { EtcdCluster } from './etcd-cluster.ts'
import { addLearner, promoteLearner, removeMember } from './members.ts'

/**
 * Makes room for the member of an ordinal, which has not started yet and begins as a learner.
 *
 * @throws {VplaneError} as `addLearner` does: `isTransient` tells whether it may be taken later.
 */
export async function addMemberAt(
  cluster: EtcdCluster,
  ordinal: number,
  signal: AbortSignal,
): Promise<void> {
  await addLearner(await cluster.speaker(signal), cluster.peerUrl(ordinal), signal)
}

/**
 * Takes the member of an ordinal out, if it is there; one that leads lets another that works lead before.
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
 * Gives the member of an ordinal its vote, once it has started.
 *
 * @returns whether it has its vote.
 * @throws {VplaneError} as `addMemberAt` does, while it has not copied enough.
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

/** What etcd refuses, or does not answer, while its members find each other. */
const PASSING =
  /with status 503|in sync with leader|not enough started members|too many learner|leader changed|unhealthy/

/** Tells whether etcd may do at the next try what it has just refused. */
export function isTransient(error: unknown): error is VplaneError {
  return (
    error instanceof VplaneError &&
    (error.code === 'UNREACHABLE' || error.code === 'TIMED_OUT' || PASSING.test(error.message))
  )
}
