import type { EtcdConnection } from '../../etcd/etcd-connection.ts'
import { compactEtcd, NEVER_COMPACTED } from '../../etcd/shared/compact-etcd.ts'
import type { Duty } from './duty.ts'

/** As kube-apiserver, which does it for an etcd that is not shared: watches and lists can be that late. */
const INTERVAL_MS = 5 * 60_000

const POLL_MS = 5000

/**
 * Compacts the shared etcd of a plane. All planes of an etcd have this duty, since each can be deleted, and one of them does
 * it in each interval. `connect` connects as its root user, and has no connection as long as the plane is being created.
 */
export function etcdCompaction(
  connect: (signal: AbortSignal) => Promise<EtcdConnection | undefined>,
  now: () => Date,
): Duty {
  let known = NEVER_COMPACTED
  let dueAt = now()
  return {
    reconcile: async (signal) => {
      if (now() < dueAt) {
        return dueAt
      }
      const connection = await connect(signal)
      if (connection === undefined) {
        return new Date(now().getTime() + POLL_MS)
      }
      const { revision, version } = await compactEtcd(connection, known, signal)
      known = { revision, version }
      dueAt = new Date(now().getTime() + INTERVAL_MS)
      return dueAt
    },
  }
}
