import type { IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Socket } from 'node:net'
import { addAbortSignal } from 'node:stream'
import { httpRequest } from '../../shared/network/node-http.ts'
import { toConnectionError } from '../kube-error.ts'
import type { Approach, Peer } from './peer.ts'
import { approachTo, eitherOf, silentFor } from './transport.ts'

export interface UpgradeRequest {
  method: 'GET' | 'POST'
  /** Path and query, escaped. */
  path: string
  /** Those of the upgrade, `upgrade` among them; the credential is added. */
  headers: Readonly<Record<string, string | string[]>>
  /** Ends the attempt; an upgraded connection is no longer its business. */
  signal: AbortSignal
}

/** A connection that speaks another protocol from here on, and what was already said in it. */
export interface UpgradedConnection {
  socket: Socket
  head: Buffer
}

export interface UpgradeAnswer {
  /** Without a connection its body is the caller's to read or destroy. */
  answer: IncomingMessage
  /** Undefined when the server did not change the protocol. */
  connection: UpgradedConnection | undefined
}

/**
 * Asks an API server to change the protocol on a connection of its own, with the credential that requests have. Either
 * direction can end without the other. Nothing is read from it before somebody does; the end of the peer is its end.
 *
 * @throws {VplaneError} `UNREACHABLE` or `TIMED_OUT` without an answer. When the signal fires, its reason is thrown as it
 * is.
 */
export async function openUpgrade(peer: Peer, request: UpgradeRequest): Promise<UpgradeAnswer> {
  const signal = eitherOf(peer.closed, request.signal)
  try {
    const approach = await approachTo(peer, signal)
    const first = await attempt(peer, { ...request, signal }, approach)
    if (first.answer.statusCode !== 401 || !(await peer.renew(approach))) {
      return first
    }
    first.answer.destroy()
    return await attempt(peer, { ...request, signal }, await approachTo(peer, signal))
  } catch (error) {
    signal.throwIfAborted()
    throw toConnectionError(error, peer.server)
  }
}

function attempt(
  { address, closed, patience }: Peer,
  request: UpgradeRequest,
  { fresh, headers }: Approach,
): Promise<UpgradeAnswer> {
  return new Promise((resolve, reject) => {
    const options = {
      agent: fresh,
      host: address.host,
      port: address.port,
      method: request.method,
      path: address.path + request.path,
      headers: { ...request.headers, ...headers, connection: 'Upgrade' },
      signal: request.signal,
      // Goes through to the socket, which its types do not say.
      allowHalfOpen: true,
    }
    const outgoing = (address.isPlain ? httpRequest : httpsRequest)(options)
    outgoing.on('error', reject)
    outgoing.on('socket', (socket) => {
      const bear = (milliseconds: number) => socket.setTimeout(milliseconds)
      socket.on('timeout', () => outgoing.destroy(silentFor(socket.timeout ?? 0)))
      bear(patience.connectMs)
      socket.once(address.isPlain ? 'connect' : 'secureConnect', () => bear(patience.silenceMs))
    })
    outgoing.on('upgrade', (answer, socket, head) => {
      socket.setTimeout(0)
      // Whoever has it hears of it by its end; without a listener an error would end the process.
      socket.on('error', () => {})
      addAbortSignal(closed, socket)
      resolve({ answer, connection: { socket, head } })
    })
    outgoing.on('response', (answer) => resolve({ answer, connection: undefined }))
    outgoing.end()
  })
}
