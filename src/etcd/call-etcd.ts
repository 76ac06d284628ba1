import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  type IncomingHttpHeaders,
} from 'node:http2'
import { unescape } from 'node:querystring'
import { messageOf, VplaneError } from '../shared/errors.ts'
import { tlsOver } from '../shared/network/tls-over.ts'
import { type EtcdConnection, SERVER_NAME } from './etcd-connection.ts'

/** How much may be on its way without being read: 64 KiB, the default, is too little for what comes at once. */
const WINDOW_BYTES = 4 * 1024 ** 2

/** Of a message: whether it is compressed, and its length (grpc.io, "gRPC over HTTP2"). */
const PREFIX_BYTES = 5

/** A request without fields. */
const EMPTY = Buffer.alloc(PREFIX_BYTES)

/**
 * Calls one of etcd's procedures that need nothing said and answer by many messages, on a connection of its own.
 *
 * @param path of the procedure: `/etcdserverpb.Maintenance/Snapshot`.
 * @throws {VplaneError} `UNREACHABLE` when it cannot be asked or is cut off, `FAILED` with what it said when it refuses.
 */
export async function* callEtcd(
  connection: EtcdConnection,
  { path, signal }: { path: string; signal: AbortSignal },
): AsyncGenerator<Buffer, void, void> {
  const { what } = connection
  const { call, session } = await open(connection, { path, signal })
  try {
    let status: string | undefined
    let said = ''
    const note = (headers: IncomingHttpHeaders) => {
      status ??= [headers['grpc-status']].flat()[0]
      said ||= [headers['grpc-message']].flat()[0] ?? ''
    }
    // Of a refusal there is nothing but headers.
    call.on('response', note).on('trailers', note)
    try {
      yield* messagesOf(call)
    } catch (error) {
      signal.throwIfAborted()
      throw cutOff(what, error)
    }
    if (status === undefined) {
      throw cutOff(what)
    }
    if (status !== '0') {
      const words = said === '' ? `status ${status}` : unescape(said)
      throw new VplaneError('FAILED', `${what} refused ${path}: ${words}`)
    }
  } finally {
    session.destroy()
  }
}

/** Returns when the connection is made, so that what fails later is a failure of the call. */
async function open(
  connection: EtcdConnection,
  { path, signal }: { path: string; signal: AbortSignal },
): Promise<{ session: ClientHttp2Session; call: ClientHttp2Stream }> {
  try {
    const stream = await connection.dial(signal, 'grpc')
    const session = await new Promise<ClientHttp2Session>((resolve, reject) => {
      stream.once('error', reject)
      const made = connect(`https://${SERVER_NAME}`, {
        createConnection: () => tlsOver(stream, { ...connection, serverName: SERVER_NAME }, ['h2']),
        settings: { initialWindowSize: WINDOW_BYTES },
      })
      made.once('error', reject).once('connect', () => resolve(made))
    })
    session.setLocalWindowSize(WINDOW_BYTES)
    const headers = { ':method': 'POST', ':path': path, 'content-type': 'application/grpc' }
    const call = session.request({ ...headers, te: 'trailers' }, { signal })
    call.end(EMPTY)
    return { session, call }
  } catch (error) {
    signal.throwIfAborted()
    throw new VplaneError(
      'UNREACHABLE',
      `${connection.what} cannot be asked: ${messageOf(error)}`,
      { cause: error },
    )
  }
}

function cutOff(what: string, cause?: unknown): VplaneError {
  return new VplaneError('UNREACHABLE', `${what} cut the connection`, { cause })
}

async function* messagesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, void> {
  let held: Buffer[] = []
  let size = 0
  for await (const chunk of chunks) {
    held.push(chunk)
    size += chunk.length
    if (size < neededBytes(held)) {
      continue
    }
    let all = Buffer.concat(held)
    for (let end = neededBytes([all]); all.length >= end; end = neededBytes([all])) {
      yield all.subarray(PREFIX_BYTES, end)
      all = all.subarray(end)
    }
    held = [all]
    size = all.length
  }
}

/** How many bytes there have to be for the next message: its prefix, and what that says. */
function neededBytes(held: readonly Buffer[]): number {
  const [first = Buffer.alloc(0)] = held
  const prefix = first.length >= PREFIX_BYTES ? first : Buffer.concat(held)
  return prefix.length < PREFIX_BYTES ? PREFIX_BYTES : PREFIX_BYTES + prefix.readUInt32BE(1)
}
