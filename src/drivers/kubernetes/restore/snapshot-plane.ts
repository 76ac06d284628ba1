import type { PlaneData } from '../../../control-plane/driver/snapshot.ts'
import { readSnapshot } from '../../../etcd/data/read-snapshot.ts'
import type { Host } from '../context/context.ts'
import type { PlacedName } from '../context/object-names.ts'
import { hostedEtcd } from '../etcd/hosted-etcd.ts'

/**
 * Starts a snapshot of a plane.
 *
 * @param options.instance the pod of a member of etcd. @default a ready pod
 * @throws {VplaneError} as `hostedEtcd` and `readSnapshot` do.
 */
export async function snapshotPlane(
  host: Host,
  { instance, place }: { place: PlacedName; instance?: string | undefined },
  signal: AbortSignal,
): Promise<PlaneData> {
  return readSnapshot(await hostedEtcd(host, { ...place, instance }, signal), signal)
}
