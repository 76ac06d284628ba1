import {
  connectAsOwner,
  storedSharedEtcd,
} from '../../drivers/local/components/plane-etcd-access.ts'
import type { PlaneFolder } from '../../drivers/local/store/plane-folder.ts'
import { compactEtcd, NEVER_COMPACTED } from '../../etcd/shared/compact-etcd.ts'
import type { Duty } from '../duties/duty.ts'

/** As kube-apiserver, which does it for an etcd that is not shared: watches and lists can be that late. */
const INTERVAL_MS = 5 * 60_000

const POLL_MS = 5000

/**
 * Compacts the shared etcd of a plane. All planes of an etcd have this duty, since each can be deleted, and one of them does
 * it in each interval.
 */
export function sharedEtcdCompaction(folder: PlaneFolder, now: () => Date): Duty {
  let known = NEVER_COMPACTED
  let dueAt = now()
  return {
    reconcile: async (signal) => {
      const facts = storedSharedEtcd(folder)
      if (facts?.root !== undefined && now() >= dueAt) {
        const connection = await connectAsOwner(facts, folder, signal)
        const { revision, version } = await compactEtcd(connection, known, signal)
        known = { revision, version }
        dueAt = new Date(now().getTime() + INTERVAL_MS)
      }
      // A plane that is being created has no user yet.
      return facts === undefined ? new Date(now().getTime() + POLL_MS) : dueAt
    },
  }
}
