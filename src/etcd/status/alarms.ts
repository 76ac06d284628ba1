import type { EtcdConnection } from '../etcd-connection.ts'
import { askEtcd } from '../post-to-etcd.ts'
import { fieldAt, arrayAt } from '../../shared/json-fields.ts'

const PATH = '/v3/maintenance/alarm'

/** Why etcd refuses writes, or does not trust a member (etcd.io/docs/v3.6/op-guide/maintenance). */
export interface Alarm {
  /** Id of the member that raised it. */
  memberId: string
  /** `NOSPACE`: its database is as large as it may be; `CORRUPT`: its data differs from that of the others. */
  kind: string
}

/**
 * The alarms of all members; only a majority knows them.
 *
 * @throws {VplaneError} as `postToEtcd` does.
 */
export async function listAlarms(
  connection: EtcdConnection,
  signal: AbortSignal,
): Promise<Alarm[]> {
  const body = { action: 'GET' }
  const answer = await askEtcd(connection, { path: PATH, body, signal })
  return arrayAt(answer, 'alarms').map((alarm) => ({
    memberId: String(fieldAt(alarm, 'memberID')),
    kind: String(fieldAt(alarm, 'alarm')),
  }))
}

/**
 * Ends an alarm; it comes back when its cause is still there.
 *
 * @throws {VplaneError} as `postToEtcd` does.
 */
export async function endAlarm(
  connection: EtcdConnection,
  { kind, memberId }: Alarm,
  signal: AbortSignal,
): Promise<void> {
  const body = { action: 'DEACTIVATE', memberID: memberId, alarm: kind }
  await askEtcd(connection, { path: PATH, body, signal })
}
