import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  type IncomingHttpHeaders,
} from 'node:http2'
import { unescape } from 'node:querystring'
import { addAbortSignal } from 'node:stream'
import { messageOf, VplaneError } from '../shared/errors.ts'
import { tlsOver } from '../shared/network/tls/tls-over.ts'
import { type EtcdConnection, SERVER_NAME } from './etcd-connection.ts'

/** The flow-control window; the default of 64 KiB is too small for a snapshot. */
const WINDOW_BYTES = 4 * 1024 ** 2

/** The prefix of a message: a flag for compression, and the length (grpc.io, "gRPC over HTTP2"). */
const PREFIX_BYTES = 5

const TOO_LARGE = 'sent a larger message than was asked for'

export interface EtcdCall {
  /** Of the procedure: `/etcdserverpb.Maintenance/Snapshot`. */
  path: string
  /** The request message. @default no fields */
  body?: Buffer
  /** A larger message is not read. @default any size */
  mostBytes?: number | undefined
  signal: AbortSignal
}

/**
 * Calls a procedure of etcd that answers with one message or a stream of them, on a separate connection.
 * @throws {VplaneError} `UNREACHABLE` when etcd does not answer or the connection fails, `FAILED` with etcd's message
 * when it refuses the call, and for a message that is too large.
 */
export async function* callEtcd(
  connection: EtcdConnection,
  { body, mostBytes = Infinity, path, signal }: EtcdCall,
): AsyncGenerator<Buffer, void, void> {
  const { what } = connection
  const { call, session } = await open(connection, { body, path, signal })
  try {
    let status: string | undefined
    let message = ''
    const readStatus = (headers: IncomingHttpHeaders) => {
      status ??= [headers['grpc-status']].flat()[0]
      message ||= [headers['grpc-message']].flat()[0] ?? ''
    }
    // A refusal consists of headers only.
    call.on('response', readStatus).on('trailers', readStatus)
    try {
      yield* messagesOf(call, { mostBytes, what })
    } catch (error) {
      signal.throwIfAborted()
      throw isTooLarge(error) ? error : connectionClosed(what, error)
    }
    if (status === undefined) {
      throw connectionClosed(what)
    }
    if (status !== '0') {
      const reason = message === '' ? `status ${status}` : unescape(message)
      throw new VplaneError('FAILED', `${what} refused ${path}: ${reason}`)
    }
  } finally {
    session.destroy()
  }
}

/** Whether an error says that a message was larger than `mostBytes`. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof VplaneError && error.message.endsWith(TOO_LARGE)
}

/** Returns when the connection is open, so that later errors are errors of the call. */
async function open(
  connection: EtcdConnection,
  {
    body = Buffer.alloc(0),
    path,
    signal,
  }: { body?: Buffer | undefined; path: string; signal: AbortSignal },
): Promise<{ session: ClientHttp2Session; call: ClientHttp2Stream }> {
  try {
    // A server that hangs accepts a connection, and answers nothing.
    const stream = addAbortSignal(signal, await connection.dial(signal, 'grpc'))
    const session = await new Promise<ClientHttp2Session>((resolve, reject) => {
      stream.once('error', reject)
      const { serverName = SERVER_NAME } = connection
      const made = connect(`https://${SERVER_NAME}`, {
        createConnection: () => tlsOver(stream, { ...connection, serverName }, ['h2']),
        settings: { initialWindowSize: WINDOW_BYTES },
      })
      made.once('error', reject).once('connect', () => resolve(made))
    })
    session.setLocalWindowSize(WINDOW_BYTES)
    const headers = { ':method': 'POST', ':path': path, 'content-type': 'application/grpc' }
    const call = session.request({ ...headers, te: 'trailers' }, { signal })
    const prefix = Buffer.alloc(PREFIX_BYTES)
    prefix.writeUInt32BE(body.length, 1)
    call.end(Buffer.concat([prefix, body]))
    return { session, call }
  } catch (error) {
    signal.throwIfAborted()
    throw new VplaneError('UNREACHABLE', `cannot reach ${connection.what}: ${messageOf(error)}`, {
      cause: error,
    })
  }
}

function connectionClosed(what: string, cause?: unknown): VplaneError {
  return new VplaneError('UNREACHABLE', `${what} closed the connection`, { cause })
}

async function* messagesOf(
  chunks: AsyncIterable<Buffer>,
  { mostBytes, what }: { mostBytes: number; what: string },
): AsyncGenerator<Buffer, void, void> {
  let received: Buffer[] = []
  let size = 0
  for await (const chunk of chunks) {
    received.push(chunk)
    size += chunk.length
    const needed = neededBytes(received)
    if (needed > mostBytes) {
      throw new VplaneError('FAILED', `${what} ${TOO_LARGE}`)
    }
    if (size < needed) {
      continue
    }
    let all = Buffer.concat(received)
    for (let end = neededBytes([all]); all.length >= end; end = neededBytes([all])) {
      yield all.subarray(PREFIX_BYTES, end)
      all = all.subarray(end)
    }
    received = [all]
    size = all.length
  }
}

/** The size of the next message with its prefix; of the prefix alone while that is incomplete. */
function neededBytes(received: readonly Buffer[]): number {
  const [first = Buffer.alloc(0)] = received
  const prefix = first.length >= PREFIX_BYTES ? first : Buffer.concat(received)
  return prefix.length < PREFIX_BYTES ? PREFIX_BYTES : PREFIX_BYTES + prefix.readUInt32BE(1)
}
