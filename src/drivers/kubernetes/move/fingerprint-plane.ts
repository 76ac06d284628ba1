import type { DataFingerprint } from '../../../control-plane/plane/data-fingerprint.ts'
import { dataFingerprint } from '../../../etcd/data/data-fingerprint.ts'
import type { Host } from '../context/context.ts'
import { hostedEtcd } from '../etcd/hosted-etcd.ts'
import type { PlacedName } from '../context/object-names.ts'

/**
 * Counts and hashes the data of a plane.
 *
 * @throws {VplaneError} as `hostedEtcd` and `dataFingerprint` do.
 */
export async function fingerprintPlane(
  host: Host,
  place: PlacedName,
  signal: AbortSignal,
): Promise<DataFingerprint> {
  return dataFingerprint(await hostedEtcd(host, place, signal), signal)
}
