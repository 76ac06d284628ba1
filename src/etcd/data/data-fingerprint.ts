import { createHash, type Hash } from 'node:crypto'
import type { DataFingerprint } from '../../control-plane/plane/data-fingerprint.ts'
import type { EtcdConnection } from '../etcd-connection.ts'
import { LEAST, readRange } from './read-range.ts'
import type { StoredPair } from './range-over-grpc.ts'

const PAGE = 200

/**
 * Counts and hashes all keys and values at one revision. It skips keys with a lease, which expire at a different time
 * in every copy, and the empty key, which represents the revisions that a restore skips.
 */
export function dataFingerprint(
  connection: EtcdConnection,
  signal: AbortSignal,
): Promise<DataFingerprint> {
  const all = { from: LEAST, to: LEAST, limit: PAGE, isAtOneRevision: true, signal }
  return fingerprintOf(readRange(connection, all))
}

type FingerprintPair = Pick<StoredPair, 'hasLease' | 'key' | 'value'>

/** Counts and hashes keys and values in their order, without those that expire. */
export async function fingerprintOf(
  pairs: AsyncIterable<FingerprintPair>,
): Promise<DataFingerprint> {
  const fingerprint = new Fingerprint()
  for await (const pair of pairs) {
    fingerprint.add(pair)
  }
  return fingerprint.end()
}

/** The fingerprint of keys that are read for another purpose. */
export class Fingerprint {
  readonly #hash = createHash('sha256')
  #keys = 0

  add({ hasLease, key, value }: FingerprintPair): void {
    if (!hasLease) {
      addTo(this.#hash, key)
      addTo(this.#hash, value)
      this.#keys += 1
    }
  }

  /** Must be called once, after the last key. */
  end(): DataFingerprint {
    return { keys: this.#keys, sha256: this.#hash.digest('hex') }
  }
}

/** Adds the length too, so that different lists of texts never have the same hash. */
function addTo(hash: Hash, bytes: Buffer): void {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  hash.update(length).update(bytes)
}
