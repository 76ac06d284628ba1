import type { EtcdCluster } from './etcd-cluster.ts'
import { ANY_MEMBER, endAlarm, listAlarms } from '../status/alarms.ts'
import { listMembers } from './members.ts'

/**
 * Disarms the alarms of members that etcd does not have any more. It keeps them when it removes a member, and with that of
 * a corrupt member it serves nothing.
 * @throws {VplaneError} as `EtcdCluster.speaker` does.
 */
export async function endStaleAlarms(
  cluster: Pick<EtcdCluster, 'speaker'>,
  signal: AbortSignal,
): Promise<void> {
  const connection = await cluster.speaker(signal)
  const members = await listMembers(connection, signal)
  const ids = new Set([ANY_MEMBER, ...members.map(({ id }) => id)])
  for (const alarm of await listAlarms(connection, signal)) {
    if (!ids.has(alarm.memberId)) {
      await endAlarm(connection, alarm, signal)
    }
  }
}
