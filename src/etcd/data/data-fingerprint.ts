import { createHash, type Hash } from 'node:crypto'
import type { DataFingerprint } from '../../control-plane/plane/data-fingerprint.ts'
import type { EtcdConnection } from '../etcd-connection.ts'
import { LEAST, readRange } from './read-range.ts'

const PAGE = 200

/**
 * Counts and hashes all keys and values at one revision. It skips keys with a lease, which expire at a different time
 * in every copy, and the empty key, which represents the revisions that a restore skips.
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

/** Adds the length too, so that different lists of texts never have the same hash. */
function addTo(hash: Hash, bytes: Buffer): void {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  hash.update(length).update(bytes)
}
