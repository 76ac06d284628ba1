import type { IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { httpRequest } from '../../shared/network/node-http.ts'
import type { Approach, Peer } from './peer.ts'

export interface KubeRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path and query, escaped. */
  path: string
  /** Sent as JSON, untouched. */
  body?: unknown
  /** @default application/json */
  contentType?: string
  /** @default application/json */
  accept?: string
  /** Sending it twice does what sending it once does. @default true for GET and DELETE */
  isRepeatable?: boolean
  signal?: AbortSignal | undefined
  /** How long the server may be silent, in milliseconds; 0 is for ever. @default the patience's `silenceMs` */
  silenceMs?: number
}

/** Sends single requests to one API server over connections that are kept open. */
export interface Transport extends Peer {
  /**
   * Resolves with the head of the answer, whatever its status. The caller reads or destroys the body. A request that is
   * refused with 401 is sent once more when there is another credential.
   */
  send(request: KubeRequest): Promise<IncomingMessage>
  /** Whether the server has answered before: then one that lets a new connection wait is busy, and not away. */
  hasAnswered(): boolean
}

/**
 * A transport to a peer, with which it ends. It is node:https, which does all that is needed here and is loaded in 10 ms,
 * where undici takes 80.
 */
export function transportOf(peer: Peer): Transport {
  let hasAnswered = false
  return {
    ...peer,
    hasAnswered: () => hasAnswered,
    send: async (request) => {
      const approach = await approachTo(peer, request.signal)
      const response = await sendOnce(peer, request, approach)
      hasAnswered = true
      if (response.statusCode !== 401 || !(await peer.renew(approach))) {
        return response
      }
      response.resume()
      return sendOnce(peer, request, await approachTo(peer, request.signal))
    },
  }
}

/** An approach, waited for no longer than a signal allows. */
export async function approachTo(peer: Peer, signal: AbortSignal | undefined): Promise<Approach> {
  const either = eitherOf(peer.closed, signal)
  either.throwIfAborted()
  const { promise, reject } = Promise.withResolvers<never>()
  const stop = () => reject(either.reason)
  either.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([peer.approach(), promise])
  } finally {
    either.removeEventListener('abort', stop)
  }
}

function sendOnce(
  { address, closed, patience }: Peer,
  request: KubeRequest,
  { headers, kept }: Approach,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const {
      accept = 'application/json',
      body,
      contentType = 'application/json',
      silenceMs = patience.silenceMs,
    } = request
    const text = body === undefined ? undefined : JSON.stringify(body)
    const outgoing = (address.isPlain ? httpRequest : httpsRequest)({
      agent: kept,
      host: address.host,
      port: address.port,
      method: request.method,
      path: address.path + request.path,
      headers: {
        ...headers,
        accept,
        ...(text !== undefined && {
          'content-type': contentType,
          // Node leaves it out for DELETE, and the body is then taken for the next request.
          'content-length': Buffer.byteLength(text),
        }),
      },
      signal: eitherOf(closed, request.signal),
    })
    const timer = setTimeout(
      () => outgoing.destroy(Object.assign(silentFor(patience.connectMs), UNCONNECTED)),
      patience.connectMs,
    )
    const connected = () => clearTimeout(timer)
    outgoing.on('response', resolve)
    outgoing.on('error', reject)
    outgoing.on('close', connected)
    outgoing.on('socket', (socket) => {
      if (outgoing.reusedSocket || (address.isPlain && !socket.connecting)) {
        connected()
      } else {
        socket.once(address.isPlain ? 'connect' : 'secureConnect', connected)
      }
    })
    outgoing.setTimeout(silenceMs, () => outgoing.destroy(silentFor(silenceMs)))
    outgoing.end(text)
  })
}

/** Marks the error of a request that the server has not seen, as no connection was up in time. */
const UNCONNECTED = { isUnconnected: true }

/** Whether a request failed because no connection was up in time. */
export function isUnconnected({ cause }: Pick<Error, 'cause'>): boolean {
  return cause instanceof Error && 'isUnconnected' in cause
}

/** A signal that fires with either of two. */
export function eitherOf(own: AbortSignal, other: AbortSignal | undefined): AbortSignal {
  return other === undefined ? own : AbortSignal.any([own, other])
}

/** The error for a server that said nothing for so long. */
export function silentFor(milliseconds: number): Error {
  const error = new Error(`it was silent for ${milliseconds / 1000} s`)
  return Object.assign(error, { code: 'SILENT' })
}
