import { text } from 'node:stream/consumers'
import type { EtcdConnection } from '../etcd-connection.ts'
import { getFromEtcd } from '../post-to-etcd.ts'

/**
 * What a member of etcd says of its work, in the text format of Prometheus.
 *
 * @throws {VplaneError} `UNREACHABLE`, `FAILED`, as `postToEtcd`.
 */
export async function memberMetrics(
  connection: EtcdConnection,
  signal: AbortSignal,
): Promise<string> {
  return text(await getFromEtcd(connection, { path: '/metrics', signal }))
}
