import type { DataFingerprint } from '../../../control-plane/plane/data-fingerprint.ts'
import { dataFingerprint } from '../../../etcd/data/data-fingerprint.ts'
import { localEtcd } from '../components/local-etcd.ts'
import type { StartContext } from '../components/start-context.ts'

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
