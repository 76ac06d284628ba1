import { type AnsweringEtcd, isWorking } from './members-at.ts'
import type { MemberPlan, WantedEtcd } from './observed-etcd.ts'
import { endPod, moveLeader, removeMember, waitForOthers } from './remove-members.ts'

/**
 * Replaces the pods of another template, one at a time: those that do not work first, the leader last. Members whose data
 * would go with their pods leave etcd before, and copy the data of the others again.
 */
export function renewPods(
  etcd: AnsweringEtcd,
  { isEphemeral }: WantedEtcd,
): MemberPlan | undefined {
  const { leader, voters } = etcd
  const stale = voters.filter(({ place }) => place.pod?.isStale === true)
  const next =
    stale.find(({ place }) => place.works === 'no') ??
    stale.find(({ id }) => id !== leader) ??
    stale[0]
  const unready = voters.filter(
    ({ place }) => !isWorking({ place }) || place.pod?.isReady === false,
  )
  if (next?.place.pod === undefined) {
    const ordinals = unready.map(({ ordinal }) => ordinal)
    return unready.length === 0 ? undefined : { kind: 'wait', for: 'members', ordinals }
  }
  const { ordinal, place } = next
  const { pod } = next.place
  if (isEphemeral && voters.length === 1) {
    return { kind: 'stuck', why: 'data-in-pod', ordinals: [ordinal] }
  }
  const isSilent = place.works === 'no'
  if (!isSilent && unready.some(({ id }) => id !== next.id)) {
    return waitForOthers(etcd, next)
  }
  if (isEphemeral) {
    return removeMember(etcd, next)
  }
  if (pod.isEnding !== false) {
    // On a node that does not respond it may still write its volume.
    return { kind: 'wait', for: 'pod-end', ordinals: [ordinal] }
  }
  return moveLeader(etcd, next) ?? endPod(ordinal, pod)
}
