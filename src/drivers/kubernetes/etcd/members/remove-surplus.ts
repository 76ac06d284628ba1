import { type EtcdCluster, LOOK_MS } from '../../../../etcd/members/etcd-cluster.ts'
import { isWorking, memberStatusWithin } from '../../../../etcd/status/member-status.ts'
import { memberName } from '../../../../manifests/pod-layout.ts'
import { replicasOf } from '../../observed/workloads.ts'
import type { ChangeContext } from '../../objects/change-context.ts'
import { removeMember } from './change-member.ts'
import { refuseMinority } from './refuse-broken.ts'

export interface SurplusOptions {
  /** What becomes of one that has a vote and works: it leaves, or it is left as it is. @default 'leave' */
  working?: 'leave' | 'stay'
}

/**
 * Takes those members out of etcd that a plane's record does not count, the last one first. Whoever was cut off between a change of
 * etcd's members and writing it down leaves such ones behind: one that never starts keeps etcd from taking any other, and
 * one whose pod goes counts against the majority. Looks once, and touches no member that the record counts.
 *
 * @throws {VplaneError} `UNREACHABLE` when no member of etcd works, `FAILED` when the others would be no majority, `TIMED_OUT`.
 */
export async function removeSurplus(
  context: Pick<ChangeContext, 'journal' | 'operation' | 'place'>,
  cluster: EtcdCluster,
  { working = 'leave' }: SurplusOptions = {},
): Promise<void> {
  const { journal, operation, place } = context
  const { signal, ui } = operation
  const surplus = await cluster.surplus(signal)
  for (const ordinal of surplus.toReversed()) {
    const name = memberName(place.name, ordinal)
    const hasVote = isWorking(await memberStatusWithin(LOOK_MS, cluster.at(ordinal), signal))
    if (hasVote && working === 'stay') {
      continue
    }
    ui.step(`Taking ${name} out of etcd`)
    await journal.step(`taking ${name} out of etcd`)
    if (hasVote) {
      await refuseMinority(context, cluster, ordinal)
    }
    await removeMember(context, cluster, ordinal)
  }
}

/**
 * Counts the members with a vote that a plane's spec wants and its record does not count: a change to fewer members was
 * interrupted before they left. Looks once.
 *
 * @throws {VplaneError} `UNREACHABLE` when no member of etcd works, `TIMED_OUT`.
 */
export async function countVoters(
  { journal, operation }: Pick<ChangeContext, 'journal' | 'operation'>,
  cluster: EtcdCluster,
): Promise<void> {
  const wanted = journal.record.spec.host?.etcd.replicas ?? 1
  const counted = replicasOf(journal.record, 'etcd')
  if (counted < wanted) {
    const voters = await cluster.voters(operation.signal)
    const count = Math.max(...voters.filter((ordinal) => ordinal < wanted)) + 1
    if (count > counted) {
      await journal.step('counting the members of etcd', { etcdMembers: count })
    }
  }
}
