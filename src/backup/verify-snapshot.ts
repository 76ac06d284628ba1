import { createHash } from 'node:crypto'
import { VplaneError } from '../shared/errors.ts'
import { LOGICAL_MAGIC } from './logical/logical-format.ts'
import { verifiedLogical } from './logical/read-logical.ts'
import { peek } from './streams/peek.ts'

const SHA256_BYTES = 32

const NOTHING = Buffer.alloc(0)

/** The size of the pages of etcd's database is a multiple of this. */
const PAGE_BYTES = 512

/**
 * Passes on the bytes of a snapshot of either format, `what`, and checks them against the SHA-256 at their end.
 * @throws {VplaneError} `FAILED` when they are not what was sent, at the latest after the last byte.
 */
export async function* verifiedSnapshot(
  bytes: AsyncIterable<Buffer>,
  what: string,
): AsyncGenerator<Buffer, void, void> {
  const { all, first } = await peek(bytes, LOGICAL_MAGIC.length)
  const start = first.subarray(0, LOGICAL_MAGIC.length).toString('latin1')
  yield* start === LOGICAL_MAGIC ? verifiedLogical(all, what) : verifiedEtcd(all, what)
}

async function* verifiedEtcd(
  bytes: AsyncIterable<Buffer>,
  what: string,
): AsyncGenerator<Buffer, void, void> {
  const hash = createHash('sha256')
  let sizeBytes = 0
  let tail: Buffer = NOTHING
  for await (const chunk of bytes) {
    // It only copies the few bytes that may be the checksum.
    const [first, rest] =
      chunk.length < SHA256_BYTES ? [NOTHING, Buffer.concat([tail, chunk])] : [tail, chunk]
    const end = Math.max(0, rest.length - SHA256_BYTES)
    hash.update(first).update(rest.subarray(0, end))
    tail = rest.subarray(end)
    sizeBytes += chunk.length
    yield chunk
  }
  if (sizeBytes % PAGE_BYTES !== SHA256_BYTES) {
    const message = `${what} is not a complete snapshot of etcd: ${sizeBytes} bytes are not pages and a checksum`
    throw new VplaneError('FAILED', message)
  }
  if (!hash.digest().equals(tail)) {
    throw new VplaneError('FAILED', `${what} is damaged: its SHA-256 is not the one at its end`)
  }
}
