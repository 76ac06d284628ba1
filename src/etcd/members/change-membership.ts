import type { EtcdCluster } from './etcd-cluster.ts'
import { moveLeader } from './members.ts'
import { isUnhealthy } from './is-transient.ts'
import { askEtcd } from '../post-to-etcd.ts'
import type { MembershipStep } from '../planner/observed-etcd.ts'
import { endAlarm } from '../status/alarms.ts'

/** Does one step that etcd itself does. When it throws, `isTransient` reports whether to try again. */
export async function changeMembership(
  cluster: Pick<EtcdCluster, 'at' | 'peerUrl' | 'speaker'>,
  step: MembershipStep,
  signal: AbortSignal,
): Promise<void> {
  if (step.kind === 'move-leader') {
    return moveLeader(cluster.at(step.from), step.id, signal)
  }
  if (step.kind === 'disarm') {
    const connection = await cluster.speaker(signal)
    for (const alarm of step.alarms) {
      await endAlarm(connection, alarm, signal)
    }
    return
  }
  const [action, body] =
    step.kind === 'add-member'
      ? // A learner has no vote, so that no majority waits for it.
        ['add', { peerURLs: [cluster.peerUrl(step.ordinal)], isLearner: true }]
      : [step.kind === 'remove-member' ? 'remove' : 'promote', { ID: step.id }]
  const request = { path: `/v3/cluster/member/${action}`, body, signal }
  const first = await cluster.speaker(signal)
  try {
    await askEtcd(first, request)
  } catch (error) {
    if (!isUnhealthy(error)) {
      throw error
    }
    // Each member goes by its own connections, and may count another one as lost for good (etcd-io/etcd#14523).
    await askEtcd(await cluster.speaker(signal, first), request)
  }
}
