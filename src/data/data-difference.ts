import { type DataFingerprint, isSameData } from '../control-plane/plane/data-fingerprint.ts'
import type { Plane } from '../control-plane/plane/plane.ts'
import { storeOf } from '../control-plane/store/store.ts'
import { fingerprintOf } from '../etcd/data/data-fingerprint.ts'
import { currentRevision, keysAt } from '../etcd/data/read-keys.ts'
import type { EtcdConnection } from '../etcd/etcd-connection.ts'

/**
 * What the store of a plane has instead of the data of a snapshot, as an error reads; undefined if it has that data. Keys
 * that expire are not compared: some of them may have done so.
 */
export async function dataDifference(
  connection: EtcdConnection,
  { name, spec }: Pick<Plane, 'name' | 'spec'>,
  { expected, signal }: { expected: DataFingerprint; signal: AbortSignal },
): Promise<string | undefined> {
  const revision = await currentRevision(connection, signal)
  const found = await fingerprintOf(keysAt(connection, { revision, signal }))
  const { component } = storeOf(spec)
  return isSameData(found, expected)
    ? undefined
    : `${component} of "${name}" has ${found.keys} keys that are not the ${expected.keys} of the snapshot`
}
