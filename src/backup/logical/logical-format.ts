import { createHash } from 'node:crypto'
import { packageVersion } from '../../shared/package-root.ts'

/**
 * A logical snapshot: all keys of a plane at one revision, whatever its store is. docs/snapshots.md describes its bytes:
 * two lines, a record for each key, and a record with the key length zero that ends it.
 */
export const LOGICAL_MAGIC = 'vplane logical snapshot\n'

/** The format that this vplane writes; it reads every older format too. */
export const LOGICAL_VERSION = 1

/** Key, value and life: a number of 32 bits for each, before the key and the value. */
export const RECORD_BYTES = 12

/** The number of the keys, and the SHA-256 of all bytes before it. */
export const COUNT_BYTES = 8
export const SHA256_BYTES = 32

/** The longest key and the largest value: more than any store takes, so that damaged lengths are noticed. */
export const MAX_KEY_BYTES = 64 * 1024
export const MAX_VALUE_BYTES = 64 * 1024 ** 2

/** Where kube-apiserver has its keys unless it is told otherwise. */
export const DEFAULT_PREFIX = '/registry'

/** What the second line says. */
export interface LogicalHeader {
  /** Of all keys. */
  revision: number
  /** The version of Kubernetes that stored them. */
  kubernetesVersion: string
  /** The store that they are from. */
  store: string
  /** The keys are below it. @default '/registry' */
  prefix?: string
}

export interface LogicalKey {
  key: Buffer
  value: Buffer
  /** The rest of its life, in seconds. @default it does not expire */
  ttlSeconds?: number
}

/** The bytes of a logical snapshot. The keys ascend. */
export async function* logicalSnapshot(
  header: LogicalHeader,
  keys: AsyncIterable<LogicalKey>,
): AsyncGenerator<Buffer, void, void> {
  const hash = createHash('sha256')
  const hashed = (bytes: Buffer) => {
    hash.update(bytes)
    return bytes
  }
  const stamp = { formatVersion: LOGICAL_VERSION, writtenBy: packageVersion() }
  yield hashed(Buffer.from(`${LOGICAL_MAGIC}${JSON.stringify({ ...stamp, ...header })}\n`))
  let count = 0
  for await (const { key, ttlSeconds = 0, value } of keys) {
    yield hashed(Buffer.concat([recordOf(key.length, value.length, ttlSeconds), key, value]))
    count += 1
  }
  const counted = Buffer.alloc(COUNT_BYTES)
  counted.writeBigUInt64BE(BigInt(count))
  yield hashed(Buffer.concat([recordOf(0, 0, 0), counted]))
  yield hash.digest()
}

function recordOf(...numbers: number[]): Buffer {
  const record = Buffer.alloc(RECORD_BYTES)
  numbers.forEach((number, index) => record.writeUInt32BE(number, 4 * index))
  return record
}
