import type { EtcdCluster } from '../../../../etcd/members/etcd-cluster.ts'
import { memberName } from '../../../../manifests/pod-layout.ts'
import { VplaneError } from '../../../../shared/errors.ts'
import { applyObjects } from '../../host/apply-objects.ts'
import { replicasOf, scaledTo, wantedReplicas, workloadPath } from '../../observed/workloads.ts'
import type { ChangeContext } from '../../objects/change-context.ts'
import { retryTransient } from './change-member.ts'
import { etcdObjects } from '../../objects/etcd-objects.ts'

/**
 * Applies the configuration files of etcd's members, and scales etcd to the number of members in the record. Removes a
 * pod only when etcd has no member for it, with a vote or without.
 *
 * @throws {VplaneError} `FAILED` when etcd still has such a member, `TIMED_OUT` when etcd does not list its members.
 */
export async function applyMembers(context: ChangeContext, cluster: EtcdCluster): Promise<void> {
  const { host, journal, operation, place } = context
  const { signal } = operation
  const { configuration, statefulSet } = etcdObjects(context)
  const path = workloadPath(place, 'etcd')
  const count = replicasOf(journal.record, 'etcd')
  const found = await host.api.get(path, { signal })
  const present = found === undefined ? count : wantedReplicas(found)
  if (present > count) {
    await refuseToStopMembers(context, cluster, count)
  }
  await applyObjects(host.api, configuration, signal)
  if (present !== count) {
    await host.api.patch(path, scaledTo(count), { type: 'merge', signal })
  }
  await applyObjects(host.api, [statefulSet], signal)
}

async function refuseToStopMembers(
  context: ChangeContext,
  cluster: EtcdCluster,
  count: number,
): Promise<void> {
  const { operation, place } = context
  const { signal } = operation
  const left = await retryTransient(context, 'its members', () => cluster.surplus(signal, count))
  if (left.length > 0) {
    const names = left.map((ordinal) => memberName(place.name, ordinal)).join(', ')
    throw new VplaneError('FAILED', `${names} of "${place.name}" is still a member of etcd`, {
      hints: [{ action: 'repair', plane: place }],
    })
  }
}

/** Forbids members of etcd to start without data, after a new member has joined. */
export async function finishJoining(context: ChangeContext): Promise<void> {
  const { host, journal, operation } = context
  if (journal.record.joining === undefined) {
    return
  }
  await journal.step('closing etcd', { joining: undefined, absent: undefined })
  await applyObjects(host.api, etcdObjects(context).configuration, operation.signal)
}
