import type { DataFingerprint } from '../../../control-plane/data-fingerprint.ts'
import { dataFingerprint } from '../../../etcd/data-fingerprint.ts'
import { localEtcd } from '../data/local-etcd.ts'
import type { StartContext } from '../start/start-context.ts'

/**
 * Counts and hashes the data of a plane.
 *
 * @throws {VplaneError} as `localEtcd` and `dataFingerprint` do.
 */
export async function fingerprintPlane(
  { store, table }: Pick<StartContext, 'store' | 'table'>,
  name: string,
  signal: AbortSignal,
): Promise<DataFingerprint> {
  return dataFingerprint(await localEtcd(name, { folder: store.folder(name), table }), signal)
}
