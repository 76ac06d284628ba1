import type { PlaneData } from '../../control-plane/driver/snapshot.ts'
import { isVplaneError, VplaneError } from '../../shared/errors.ts'
import { callEtcd } from '../call-etcd.ts'
import type { EtcdConnection } from '../etcd-connection.ts'
import { memberStatus } from '../status/member-status.ts'
import { protobufFields } from '../protobuf.ts'

const SHA256_BYTES = 32

/** The procedure, and the fields of its messages (etcd 3.6, api/etcdserverpb/rpc.proto, `SnapshotResponse`). */
const PROCEDURE = '/etcdserverpb.Maintenance/Snapshot'
const REMAINING_BYTES = 2
const BLOB = 3

/**
 * Starts a snapshot by etcd: its current database, sent in chunks while etcd keeps serving, and the SHA-256 of the
 * database as the last 32 bytes. Reading them throws `FAILED` when they are incomplete. It uses gRPC, because JSON
 * would cost etcd ten times as much.
 */
export async function readSnapshot(
  connection: EtcdConnection,
  signal: AbortSignal,
): Promise<PlaneData> {
  // Read first, so that the snapshot contains this revision; it does not report its own.
  const { revision } = await memberStatus(connection, signal)
  const pieces = piecesOf(connection, signal)
  const { done, value: first } = await pieces.next()
  if (done === true) {
    throw incomplete(connection.what)
  }
  return {
    revision,
    // `remaining` does not include the checksum.
    sizeBytes: first.bytes.length + first.remaining + SHA256_BYTES,
    bytes: bytesOf(first, pieces, { what: connection.what, signal }),
    [Symbol.asyncDispose]: async () => {
      await pieces.return()
    },
  }
}

interface Piece {
  bytes: Buffer
  /** Number of bytes after it. */
  remaining: number
}

async function* bytesOf(
  first: Piece,
  pieces: AsyncIterable<Piece>,
  { signal, what }: { what: string; signal: AbortSignal },
): AsyncGenerator<Buffer, void, void> {
  let { remaining } = first
  yield first.bytes
  try {
    for await (const piece of pieces) {
      remaining = piece.remaining
      yield piece.bytes
    }
  } catch (error) {
    signal.throwIfAborted()
    throw isVplaneError(error, 'FAILED') ? error : incomplete(what, error)
  }
  if (remaining > 0) {
    throw incomplete(what)
  }
}

async function* piecesOf(
  connection: EtcdConnection,
  signal: AbortSignal,
): AsyncGenerator<Piece, void, void> {
  for await (const message of callEtcd(connection, { path: PROCEDURE, signal })) {
    const fields = protobufFields(message)
    yield {
      bytes: fields?.bytes.get(BLOB) ?? Buffer.alloc(0),
      // Protobuf omits zero.
      remaining: fields?.numbers.get(REMAINING_BYTES) ?? 0,
    }
  }
}

function incomplete(what: string, cause?: unknown): VplaneError {
  return new VplaneError('FAILED', `${what} sent an incomplete snapshot`, {
    hints: ['run the command again'],
    cause,
  })
}
