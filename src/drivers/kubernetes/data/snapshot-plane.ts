import type { PlaneData } from '../../../control-plane/snapshot.ts'
import { readSnapshot } from '../../../etcd/read-snapshot.ts'
import type { Host } from '../context.ts'
import type { PlacedName } from '../object-names.ts'
import { hostedEtcd } from './hosted-etcd.ts'

/**
 * Begins a snapshot of a plane.
 *
 * @param options.instance the pod of a member of etcd. @default one that is ready
 * @throws {VplaneError} as `hostedEtcd` and `readSnapshot` do.
 */
export async function snapshotPlane(
  host: Host,
  { instance, place }: { place: PlacedName; instance?: string | undefined },
  signal: AbortSignal,
): Promise<PlaneData> {
  return readSnapshot(await hostedEtcd(host, { ...place, instance }, signal), signal)
}
