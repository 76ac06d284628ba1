import type { PlaneData } from '../../control-plane/driver/snapshot.ts'
import { VplaneError } from '../../shared/errors.ts'
import { callEtcd } from '../call-etcd.ts'
import type { EtcdConnection } from '../etcd-connection.ts'
import { memberStatus } from '../status/member-status.ts'
import { protobufFields } from '../protobuf.ts'

const SHA256_BYTES = 32

/** The procedure, and the fields of its answers (etcd 3.6, api/etcdserverpb/rpc.proto, `SnapshotResponse`). */
const PROCEDURE = '/etcdserverpb.Maintenance/Snapshot'
const REMAINING_BYTES = 2
const BLOB = 3

/**
 * Begins etcd's own snapshot: its database as it is at this moment, sent piece by piece while it goes on working, and
 * the database's SHA-256 as the last 32 bytes. By gRPC: as JSON it would cost etcd ten times as much.
 *
 * @throws {VplaneError} `UNREACHABLE`, `FAILED`, as `postToEtcd` and `callEtcd`; the bytes throw `FAILED` when etcd breaks off.
 */
export async function readSnapshot(
  connection: EtcdConnection,
  signal: AbortSignal,
): Promise<PlaneData> {
  // Asked first: all up to it is in the snapshot, which does not say its own.
  const { revision } = await memberStatus(connection, signal)
  const pieces = piecesOf(connection, signal)
  const { done, value: first } = await pieces.next()
  if (done === true) {
    throw brokenOff(connection.what)
  }
  return {
    revision,
    // What remains is said without the checksum.
    sizeBytes: first.bytes.length + first.remaining + SHA256_BYTES,
    bytes: bytesOf(first, pieces, { what: connection.what, signal }),
  }
}

interface Piece {
  bytes: Buffer
  /** How many bytes come after it. */
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
    throw isRefusal(error) ? error : brokenOff(what, error)
  }
  if (remaining > 0) {
    throw brokenOff(what)
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
      // What is zero is left out.
      remaining: fields?.numbers.get(REMAINING_BYTES) ?? 0,
    }
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof VplaneError && error.code === 'FAILED'
}

function brokenOff(what: string, cause?: unknown): VplaneError {
  return new VplaneError('FAILED', `${what} broke its snapshot off`, {
    hints: ['run the command again'],
    cause,
  })
}
