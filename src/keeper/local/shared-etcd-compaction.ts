import {
  connectAsOwner,
  storedSharedEtcd,
} from '../../drivers/local/components/plane-etcd-access.ts'
import type { PlaneFolder } from '../../drivers/local/store/plane-folder.ts'
import type { Duty } from '../duties/duty.ts'
import { etcdCompaction } from '../duties/etcd-compaction.ts'

/** Compacts the shared etcd of a plane of this machine. */
export function sharedEtcdCompaction(folder: PlaneFolder, now: () => Date): Duty {
  return etcdCompaction(async (signal) => {
    // A plane that is being created has no user yet.
    const facts = storedSharedEtcd(folder)
    return facts && connectAsOwner(facts, folder, signal)
  }, now)
}
