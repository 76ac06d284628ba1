import { unlessAborted } from '../../shared/concurrency/unless-aborted.ts'
import type { IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { httpRequest } from '../../shared/network/node-http.ts'
import type { Approach, Peer } from './peer.ts'

const JSON_TYPE = 'application/json'

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
  /** Whether the request is idempotent. @default true for GET and DELETE */
  isRepeatable?: boolean
  signal?: AbortSignal | undefined
  /** How long the server may send nothing, in milliseconds; 0 means no limit. @default the patience's `silenceMs` */
  silenceMs?: number
}

/** Sends single requests to one API server over keep-alive connections. */
export interface Transport extends Peer {
  /**
   * Resolves with the response, whatever its status; the caller reads or destroys the body. After a 401 it sends the request
   * once more if another credential exists.
   */
  send(request: KubeRequest): Promise<IncomingMessage>
  /** Whether the server has answered before: a server that then delays a new connection is busy, not down. */
  hasAnswered(): boolean
}

/** A transport to a peer, which it disposes. It uses node:https, which loads in 10 ms; undici takes 80. */
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

/** The agents and headers for a request; rejects when the signal fires. */
export async function approachTo(peer: Peer, signal: AbortSignal | undefined): Promise<Approach> {
  const either = eitherOf(peer.closed, signal)
  either.throwIfAborted()
  return unlessAborted(peer.approach(), either)
}

function sendOnce(
  { address, closed, patience }: Peer,
  request: KubeRequest,
  { headers, keepAlive }: Approach,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { accept = JSON_TYPE, body, contentType = JSON_TYPE } = request
    const { silenceMs = patience.silenceMs } = request
    const text = body === undefined ? undefined : JSON.stringify(body)
    const outgoing = (address.isPlain ? httpRequest : httpsRequest)({
      agent: keepAlive,
      host: address.host,
      port: address.port,
      method: request.method,
      path: address.path + request.path,
      headers: {
        ...headers,
        accept,
        ...(text !== undefined && {
          'content-type': contentType,
          // Node.js omits it for DELETE, and the server would parse the body as the next request.
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

const UNCONNECTED = { isUnconnected: true }

/** Whether a request failed because no connection was established in time. */
export function isUnconnected({ cause }: Pick<Error, 'cause'>): boolean {
  return cause instanceof Error && 'isUnconnected' in cause
}

export function eitherOf(own: AbortSignal, other: AbortSignal | undefined): AbortSignal {
  return other === undefined ? own : AbortSignal.any([own, other])
}

/** The error for a server that sent nothing for so long. */
export function silentFor(milliseconds: number): Error {
  const error = new Error(`it was silent for ${milliseconds / 1000} s`)
  return Object.assign(error, { code: 'SILENT' })
}
