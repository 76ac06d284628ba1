import { text } from 'node:stream/consumers'
import type { EtcdConnection } from '../etcd-connection.ts'
import { getFromEtcd } from '../post-to-etcd.ts'
import type { MemberStatus } from './member-status.ts'

/** The metrics of an etcd member, in the text format of Prometheus. */
export async function memberMetrics(
  connection: EtcdConnection,
  signal: AbortSignal,
): Promise<string> {
  return text(await getFromEtcd(connection, { path: '/metrics', signal }))
}

/**
 * Reads the status of an etcd member without a leader from its metrics; undefined when it knows a leader, or metrics
 * are missing. If it was started without a majority, they are the only source: it serves no clients, neither with gRPC
 * nor at its gateway, before it knows a leader (etcd 3.4 to 3.6, server/embed/serve.go). Its log may contain later
 * revisions than it reports, which are not committed as far as it knows.
 */
export function statusInMetrics(metrics: string): MemberStatus | undefined {
  const valueOf = (name: string) => {
    const [, value] = new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(metrics) ?? []
    return Number(value)
  }
  const [, id] = /^etcd_server_id\{server_id="([0-9a-f]+)"\}/m.exec(metrics) ?? []
  const revision = valueOf('etcd_debugging_mvcc_current_revision')
  const leaders = valueOf('etcd_server_has_leader')
  if (id === undefined || !Number.isSafeInteger(revision) || leaders !== 0) {
    return undefined
  }
  const quotaBytes = valueOf('etcd_server_quota_backend_bytes')
  return {
    id: BigInt(`0x${id}`).toString(),
    revision,
    isLearner: valueOf('etcd_server_is_learner') === 1,
    databaseBytes: valueOf('etcd_mvcc_db_total_size_in_bytes') || 0,
    inUseBytes: valueOf('etcd_mvcc_db_total_size_in_use_in_bytes') || 0,
    ...(quotaBytes > 0 ? { quotaBytes } : {}),
  }
}
