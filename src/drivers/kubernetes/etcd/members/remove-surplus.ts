import { type EtcdCluster, STATUS_TIMEOUT_MS } from '../../../../etcd/members/etcd-cluster.ts'
import { isWorking, memberStatusWithin } from '../../../../etcd/status/member-status.ts'
import { memberName } from '../../../../manifests/pod-layout.ts'
import { replicasOf } from '../../observed/workloads.ts'
import type { ChangeContext } from '../../objects/change-context.ts'
import { removeMember } from './change-member.ts'
import { refuseMinority } from './refuse-broken.ts'

/**
 * Removes the members from etcd that a plane's record does not count, the last one first. They remain when a command is
 * interrupted after it has changed etcd's members and before it has recorded that: one that never starts prevents etcd
 * from adding others, and one without a pod counts against the majority. Checks once, and removes no member that the
 * record counts.
 *
 * @param options.working whether a working member with a vote leaves or stays. @default 'leave'
 * @throws {VplaneError} `UNREACHABLE` when no member of etcd works, `FAILED` when the others would have no majority,
 * `TIMED_OUT`.
 */
export async function removeSurplus(
  context: Pick<ChangeContext, 'journal' | 'operation' | 'place'>,
  cluster: EtcdCluster,
  { working = 'leave' }: { working?: 'leave' | 'stay' } = {},
): Promise<void> {
  const { journal, operation, place } = context
  const { signal, ui } = operation
  const surplus = await cluster.surplus(signal)
  for (const ordinal of surplus.toReversed()) {
    const name = memberName(place.name, ordinal)
    const hasVote = isWorking(
      await memberStatusWithin(STATUS_TIMEOUT_MS, cluster.at(ordinal), signal),
    )
    if (hasVote && working === 'stay') {
      continue
    }
    ui.step(`Removing ${name} from etcd`)
    await journal.step(`taking ${name} out of etcd`)
    if (hasVote) {
      await refuseMinority(context, cluster, ordinal)
    }
    await removeMember(context, cluster, ordinal)
  }
}

/**
 * Records more members if etcd has voters that a plane's spec wants and its record does not count: a change to fewer
 * members was interrupted before it removed them. Checks once.
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
