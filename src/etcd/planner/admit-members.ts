import { type AnsweringEtcd, isWorking, type PlacedMember } from './members-at.ts'
import type { Joining, MemberPlace, MemberPlan, WantedEtcd } from './observed-etcd.ts'
import { endPod, waitForOthers } from './remove-members.ts'

/**
 * Gives etcd the members that it lacks, one after the other. What is left of a predecessor is deleted, etcd is told of the
 * new member, its pod starts without data and copies that of the others, and it gets its vote.
 */
export function admitMembers(etcd: AnsweringEtcd, wanted: WantedEtcd): MemberPlan | undefined {
  const started = etcd.members.filter(({ hasStarted }) => hasStarted)
  const needed = Math.max(0, ...started.map(({ ordinal }) => ordinal + 1))
  if (etcd.replicas < needed) {
    return scaleTo(etcd, needed)
  }
  const learner = etcd.members.find(({ isLearner }) => isLearner)
  if (learner !== undefined) {
    return learner.hasStarted ? promote(learner) : startLearner(etcd, wanted, learner)
  }
  const ordinals = Array.from({ length: wanted.count }, (_, ordinal) => ordinal)
  const absent = ordinals.find((ordinal) => etcd.at(ordinal) === undefined)
  return absent === undefined ? undefined : addMember(etcd, wanted, absent)
}

function promote(learner: PlacedMember): MemberPlan {
  const { id, ordinal } = learner
  return isWorking(learner)
    ? { kind: 'promote-member', ordinal, id }
    : { kind: 'wait', for: 'copy', ordinals: [ordinal] }
}

/** A learner without data starts once the files let it. */
function startLearner(
  etcd: AnsweringEtcd,
  wanted: WantedEtcd,
  { id, ordinal, place }: PlacedMember,
): MemberPlan {
  const { replicas } = etcd
  const joining = joiningAt(ordinal, etcd)
  const holder = holderIn(place, wanted)
  const isOld = holder !== undefined && holder.uid === joining?.formerUid
  if (isOld || (joining === undefined && place.works === 'no')) {
    // Nobody knows whose data it would find.
    return { kind: 'remove-member', ordinal, id }
  }
  if (replicas <= ordinal) {
    return scaleTo(etcd, ordinal + 1)
  }
  if (holder !== undefined && place.pod?.isOverdue === true && place.damage !== undefined) {
    return openFiles(etcd, { ordinal, formerUid: holder.uid })
  }
  return { kind: 'wait', for: 'copy', ordinals: [ordinal] }
}

/** Adds a member once what is left of its predecessor is gone, and the files let it start. */
function addMember(etcd: AnsweringEtcd, wanted: WantedEtcd, ordinal: number): MemberPlan {
  const { voters, working } = etcd
  if (working.length < voters.length) {
    return waitForOthers(etcd)
  }
  const place = etcd.place(ordinal)
  const joining = joiningAt(ordinal, etcd)
  const holder = holderIn(place, wanted)
  if (joining === undefined) {
    return openFiles(etcd, { ordinal, formerUid: holder?.uid ?? '' })
  }
  if (holder === undefined && place.pod !== undefined) {
    // The host makes the claim before the pod: that of this pod is gone.
    return endPod(ordinal, place.pod)
  }
  if (holder === undefined || holder.uid !== joining.formerUid) {
    return { kind: 'add-member', ordinal }
  }
  // Only when it is gone is the member added: what ends could still start and join with it.
  return place.claim !== undefined && !place.claim.isEnding
    ? { kind: 'delete-claim', ordinal, uid: place.claim.uid }
    : endPod(ordinal, place.pod)
}

/** What the data of a member goes with. */
function holderIn({ claim, pod }: MemberPlace, { isEphemeral }: WantedEtcd) {
  return isEphemeral ? pod : claim
}

/** The files that let a member start without data, if it is written down what is left of its predecessor. */
function joiningAt(ordinal: number, { joining }: AnsweringEtcd): Joining | undefined {
  const isAt = joining !== undefined && joining !== 'all' && joining.ordinal === ordinal
  return isAt && joining.formerUid !== undefined ? joining : undefined
}

/** Lets one member start without data, with the members that etcd will have then. */
function openFiles(
  etcd: AnsweringEtcd,
  { formerUid, ordinal }: Pick<Joining, 'formerUid' | 'ordinal'>,
): MemberPlan {
  const peers = peersOf(etcd, ordinal)
  const { files } = etcd.resourceVersions
  return { kind: 'open-files', joining: { ordinal, peers, formerUid }, resourceVersion: files }
}

function peersOf({ members }: AnsweringEtcd, ordinal: number): number[] {
  return [...new Set([...members.map((one) => one.ordinal), ordinal])].toSorted(
    (one, other) => one - other,
  )
}

function scaleTo({ resourceVersions }: AnsweringEtcd, replicas: number): MemberPlan {
  return { kind: 'scale', replicas, resourceVersion: resourceVersions.statefulSet }
}
