import type { EtcdConnection } from '../etcd-connection.ts'
import { askEtcd } from '../post-to-etcd.ts'
import { fieldAt, arrayAt, textAt } from '../../shared/json-fields.ts'

const PATH = '/v3/maintenance/alarm'

/**
 * The member of an alarm about members that have different data while no majority has the same: nobody can tell which of
 * them are corrupt (etcd 3.6, server/etcdserver/corrupt.go).
 */
export const ANY_MEMBER = '0'

/** An alarm of etcd (etcd.io/docs/v3.6/op-guide/maintenance). */
export interface Alarm {
  /** Id of the member that raised it, or `ANY_MEMBER`. */
  memberId: string
  /** `NOSPACE`: its database has reached its quota, and etcd refuses writes. `CORRUPT`: its data differs from that of the others. */
  kind: string
}

/** Lists the alarms of all members, which only a majority knows. @throws {VplaneError} as `postToEtcd` does. */
export async function listAlarms(
  connection: EtcdConnection,
  signal: AbortSignal,
): Promise<Alarm[]> {
  const body = { action: 'GET' }
  const answer = await askEtcd(connection, { path: PATH, body, signal })
  return arrayAt(answer, 'alarms').map((alarm) => ({
    // Its JSON has no zeros.
    memberId: textAt(alarm, 'memberID') ?? ANY_MEMBER,
    kind: String(fieldAt(alarm, 'alarm')),
  }))
}

/** Disarms an alarm; etcd raises it again if its cause still exists. @throws {VplaneError} as `postToEtcd` does. */
export async function endAlarm(
  connection: EtcdConnection,
  { kind, memberId }: Alarm,
  signal: AbortSignal,
): Promise<void> {
  const body = { action: 'DEACTIVATE', memberID: memberId, alarm: kind }
  await askEtcd(connection, { path: PATH, body, signal })
}
