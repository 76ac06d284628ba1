import { admitMembers } from './admit-members.ts'
import { type AnsweringEtcd, membersAt } from './members-at.ts'
import {
  isStep,
  type MemberPlan,
  type MemberStep,
  type ObservedEtcd,
  type WantedEtcd,
} from './observed-etcd.ts'
import { endPod, removeBroken, removeSurplus } from './remove-members.ts'
import { renewPods } from './renew-pods.ts'

/**
 * Returns the next step from an observed etcd to the wanted one. Pure: the same observation gives the same step, so that
 * any command may continue what another one left.
 *
 * - After each step a majority of etcd's voters works, if it did before. Broken voters leave before others join.
 * - A StatefulSet shrinks only below ordinals that have no member, with or without a vote.
 * - A claim is deleted only by its uid, while etcd has no member for it and another voter works.
 * - The pod of a working member is deleted only while all others work, or when there is no other.
 */
export function nextStep(observed: ObservedEtcd, wanted: WantedEtcd): MemberPlan {
  const { alarms, members } = observed
  if (members === undefined) {
    return regainMajority(observed, wanted)
  }
  const etcd = membersAt(observed, members)
  const foreign = members.filter(({ ordinal }) => ordinal === undefined)
  if (foreign.length > 0) {
    return { kind: 'stuck', why: 'foreign-member', ordinals: [] }
  }
  const plan =
    closeFiles(etcd, wanted) ??
    removeBroken(etcd, wanted) ??
    admitMembers(etcd, wanted) ??
    removeSurplus(etcd, wanted) ??
    disarm(observed) ??
    renewPods(etcd, wanted) ??
    (observed.joining === undefined
      ? { kind: 'done' }
      : { kind: 'close-files', resourceVersion: observed.resourceVersions.files })
  return isStep(plan) && isHeldByAlarm(plan, alarms)
    ? { kind: 'stuck', why: 'alarm', ordinals: [] }
    : plan
}

/** No member is ready while etcd has the alarm of a corrupt one, also of one that was replaced. */
function disarm({ staleAlarms }: ObservedEtcd): MemberPlan | undefined {
  return staleAlarms.length > 0 ? { kind: 'disarm', alarms: staleAlarms } : undefined
}

/** A full etcd copies no data, but gets a larger quota with new pods. Of differing data nobody knows which is right. */
function isHeldByAlarm({ kind }: MemberStep, alarms: ObservedEtcd['alarms']): boolean {
  const isRenewal = kind === 'delete-pod' || kind === 'move-leader'
  return alarms.some((alarm) => alarm === 'CORRUPT' || !isRenewal)
}

/** Only a member that has never started needs files that let it start without data. */
function closeFiles(etcd: AnsweringEtcd, { count }: WantedEtcd) {
  const { joining, resourceVersions } = etcd
  if (joining === undefined || joining === 'all') {
    return undefined
  }
  return etcd.at(joining.ordinal)?.hasStarted === true || joining.ordinal >= count
    ? ({ kind: 'close-files', resourceVersion: resourceVersions.files } as const)
    : undefined
}

/** What can be done while no majority answers: start what exists, and replace pods of another template. */
function regainMajority(
  { places, replicas, resourceVersions }: ObservedEtcd,
  { count, isEphemeral }: WantedEtcd,
): MemberPlan {
  const used = places.filter(({ claim, pod }) => claim ?? pod)
  const wanted = used.filter(({ ordinal }) => ordinal < count)
  const needed = wanted.length === 0 ? count : Math.max(...wanted.map(({ ordinal }) => ordinal)) + 1
  if (replicas < needed) {
    return { kind: 'scale', replicas: needed, resourceVersion: resourceVersions.statefulSet }
  }
  // A removed member is none of those that could agree.
  const running = used.filter(({ damage, ordinal }) => ordinal < replicas && damage !== 'removed')
  const broken = running.filter(({ damage }) => damage !== undefined)
  if (broken.length * 2 > running.length) {
    return { kind: 'stuck', why: 'majority-lost', ordinals: broken.map(({ ordinal }) => ordinal) }
  }
  const stale = running.find(
    ({ damage, pod, works }) => pod?.isStale === true && works === 'no' && damage === undefined,
  )
  if (stale?.pod !== undefined && !isEphemeral) {
    return endPod(stale.ordinal, stale.pod)
  }
  const silent = running.filter(({ works }) => works !== 'yes')
  return { kind: 'wait', for: 'majority', ordinals: silent.map(({ ordinal }) => ordinal) }
}
