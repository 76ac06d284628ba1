import {
  type AnsweringEtcd,
  hasMajorityWithout,
  isWorking,
  type PlacedMember,
} from './members-at.ts'
import type { MemberPlan, MemberPod, WantedEtcd } from './observed-etcd.ts'

/**
 * Removes members whose data is broken, and those beyond the wanted number that do not work: etcd accepts no new member
 * while one does not work. A member may have got its vote before etcd knew its name, and so before it counts as started.
 */
export function removeBroken(etcd: AnsweringEtcd, { count }: WantedEtcd): MemberPlan | undefined {
  const next = etcd.members.find(
    (member) =>
      !isWorking(member) &&
      (member.ordinal >= count
        ? member.place.works === 'no'
        : (member.hasStarted || !member.isLearner) && member.place.damage !== undefined),
  )
  return next && removeMember(etcd, next)
}

/** Removes members beyond the wanted number, the last one first; then their pods and their claims. */
export function removeSurplus(etcd: AnsweringEtcd, { count }: WantedEtcd): MemberPlan | undefined {
  const { members, places, replicas, resourceVersions } = etcd
  const [last] = members
    .filter(({ ordinal }) => ordinal >= count)
    .toSorted((one, other) => other.ordinal - one.ordinal)
  if (last !== undefined) {
    return removeMember(etcd, last)
  }
  if (replicas > count) {
    return { kind: 'scale', replicas: count, resourceVersion: resourceVersions.statefulSet }
  }
  const place = places.find(({ claim, ordinal, pod }) => ordinal >= count && (claim ?? pod))
  if (place === undefined) {
    return undefined
  }
  const { claim, ordinal, pod } = place
  return claim === undefined || claim.isEnding
    ? { kind: 'wait', for: pod === undefined ? 'claim-end' : 'pod-end', ordinals: [ordinal] }
    : { kind: 'delete-claim', ordinal, uid: claim.uid }
}

/** Removes a member as soon as the others have a majority without it. If it leads, another one leads before. */
export function removeMember(etcd: AnsweringEtcd, member: PlacedMember): MemberPlan {
  const { id, isLearner, ordinal } = member
  if (isLearner) {
    return { kind: 'remove-member', ordinal, id }
  }
  if (!hasMajorityWithout(etcd, member)) {
    return waitForOthers(etcd, member)
  }
  return moveLeader(etcd, member) ?? { kind: 'remove-member', ordinal, id }
}

/** Lets another working voter lead. Undefined if the member does not lead, or no other could. */
export function moveLeader(
  etcd: AnsweringEtcd,
  { id, ordinal }: PlacedMember,
): MemberPlan | undefined {
  const heir = etcd.working
    .toSorted((one, other) => one.ordinal - other.ordinal)
    .find((other) => other.id !== id)
  return etcd.leader === id && heir !== undefined
    ? { kind: 'move-leader', from: ordinal, id: heir.id }
    : undefined
}

/** Deletes a pod, or waits until a deleted one is gone. On a node that does not respond nobody else would end it. */
export function endPod(ordinal: number, pod: MemberPod | undefined): MemberPlan {
  const { isEnding, uid } = pod ?? { isEnding: true, uid: '' }
  return isEnding === true
    ? { kind: 'wait', for: 'pod-end', ordinals: [ordinal] }
    : { kind: 'delete-pod', ordinal, uid, isForced: isEnding === 'stuck' }
}

/** Waits for the other voters that do not work. */
export function waitForOthers({ voters }: AnsweringEtcd, member?: PlacedMember): MemberPlan {
  const silent = voters.filter((voter) => voter.id !== member?.id && !isWorking(voter))
  return { kind: 'wait', for: 'members', ordinals: silent.map(({ ordinal }) => ordinal) }
}
