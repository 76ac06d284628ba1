import type { LogicalKey } from '../backup/logical/logical-format.ts'
import type { Fingerprint } from '../etcd/data/data-fingerprint.ts'

/** The same keys, which are added to a fingerprint. */
export async function* countedKeys(
  keys: AsyncIterable<LogicalKey>,
  { fingerprint, signal }: { fingerprint: Fingerprint; signal: AbortSignal },
): AsyncGenerator<LogicalKey, void, void> {
  for await (const key of keys) {
    signal.throwIfAborted()
    fingerprint.add({ ...key, hasLease: key.ttlSeconds !== undefined })
    yield key
  }
}
