import type { IncomingMessage } from 'node:http'
import { WebSocket } from 'ws'
import { httpStatusOf, toConnectionError, toRefusal } from '../kube-error.ts'
import type { Approach, Peer } from '../http/peer.ts'
import { readBody } from '../http/read-body.ts'
import { approachTo, eitherOf } from '../http/transport.ts'
import { urlHost } from '../../shared/network/url-host.ts'

/** The largest accepted frame; kubelets send 32 KiB. */
const MAX_FRAME_BYTES = 4 * 1024 * 1024
const MAX_TEXT_BYTES = 64 * 1024

export interface WebsocketRequest {
  /** Path and query, escaped. */
  path: string
  /** The only subprotocol. */
  protocol: string
  /** Ends the attempt, but not an open websocket. */
  signal: AbortSignal
}

/**
 * Opens a websocket to an API server over a new connection, with the peer's credential. It is paused, so that no data is
 * lost before the caller listens.
 *
 * @throws {VplaneError} by the status of the answer, `UNREACHABLE` or `TIMED_OUT` without one. When the signal fires, its
 * reason is thrown as it is.
 */
export async function openWebsocket(peer: Peer, request: WebsocketRequest): Promise<WebSocket> {
  const signal = eitherOf(peer.closed, request.signal)
  try {
    const approach = await approachTo(peer, signal)
    const answer = await attempt(peer, { ...request, signal }, approach)
    if (answer instanceof WebSocket) {
      return answer
    }
    if (httpStatusOf(answer) !== 401) {
      throw answer
    }
    if (!(await peer.renew(approach))) {
      throw peer.denial(answer)
    }
    const second = await attempt(peer, { ...request, signal }, await approachTo(peer, signal))
    if (second instanceof WebSocket) {
      return second
    }
    throw httpStatusOf(second) === 401 ? peer.denial(second) : second
  } catch (error) {
    signal.throwIfAborted()
    throw toConnectionError(error, peer.server)
  }
}

/** A websocket, or the error for the response of the server. */
async function attempt(
  { address, patience }: Peer,
  { path, protocol, signal }: WebsocketRequest,
  { fresh, headers }: Approach,
) {
  const origin = `${address.isPlain ? 'ws' : 'wss'}://${urlHost(address.host)}:${address.port}`
  const websocket = new WebSocket(origin + address.path + path, protocol, {
    agent: fresh,
    headers: { ...headers },
    handshakeTimeout: patience.connectMs,
    maxPayload: MAX_FRAME_BYTES,
    perMessageDeflate: false,
    skipUTF8Validation: true,
  })
  const { promise, reject, resolve } = Promise.withResolvers<IncomingMessage | undefined>()
  const stop = () => reject(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  websocket.on('unexpected-response', (_, response) => resolve(response))
  // Never removed: an error without a listener ends the process.
  websocket.on('error', (error) => reject(toTimeout(error)))
  websocket.once('open', () => {
    websocket.pause()
    resolve(undefined)
  })
  try {
    const response = await promise
    if (response === undefined) {
      return websocket
    }
    const body = await readBody(response, MAX_TEXT_BYTES)
    websocket.terminate()
    return toRefusal({ status: response.statusCode ?? 0, body, request: `GET ${path}` })
  } catch (error) {
    websocket.terminate()
    throw error
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

function toTimeout(error: Error): Error {
  return error.message === 'Opening handshake has timed out'
    ? Object.assign(new Error('the websocket was not opened in time'), { code: 'SILENT' })
    : error
}
