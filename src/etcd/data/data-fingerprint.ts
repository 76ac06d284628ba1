import { createHash, type Hash } from 'node:crypto'
import type { DataFingerprint } from '../../control-plane/plane/data-fingerprint.ts'
import type { EtcdConnection } from '../etcd-connection.ts'
import { LEAST, readRange } from './read-range.ts'

/** Keys that are asked for at once. */
const PAGE = 200

/**
 * Counts and hashes all keys with their values, as they are at one revision. Those on a lease are left out, as they end at
 * another time in every copy. So is the empty key, which stands for the revisions that a restore leaves out.
 *
 * @throws {VplaneError} `UNREACHABLE`, `FAILED`, as `postToEtcd`.
 */
export async function dataFingerprint(
  connection: EtcdConnection,
  signal: AbortSignal,
): Promise<DataFingerprint> {
  const hash = createHash('sha256')
  let keys = 0
  const all = { from: LEAST, to: LEAST, limit: PAGE, isAtOneRevision: true, signal }
  for await (const { hasLease, key, value } of readRange(connection, all)) {
    if (!hasLease) {
      addTo(hash, key)
      addTo(hash, value)
      keys += 1
    }
  }
  return { keys, sha256: hash.digest('hex') }
}

/** With its length, so that no two lists of texts make the same bytes. */
function addTo(hash: Hash, bytes: Buffer): void {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  hash.update(length).update(bytes)
}
