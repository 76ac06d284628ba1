import type { PlaneData } from '../../../control-plane/driver/snapshot.ts'
import { readSnapshot } from '../../../etcd/data/read-snapshot.ts'
import type { StartContext } from '../components/start-context.ts'
import { localEtcd } from '../components/local-etcd.ts'

/**
 * Begins a snapshot of a plane.
 *
 * @throws {VplaneError} as `localEtcd` and `readSnapshot` do.
 */
export async function snapshotPlane(
  { store, table }: Pick<StartContext, 'store' | 'table'>,
  name: string,
  signal: AbortSignal,
): Promise<PlaneData> {
  return readSnapshot(await localEtcd(name, { folder: store.folder(name), table }), signal)
}
