import type { IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { addAbortSignal } from 'node:stream'
import type { UpgradedConnection } from '../../shared/network/join-sockets.ts'
import { httpRequest } from '../../shared/network/node-http.ts'
import { toConnectionError } from '../kube-error.ts'
import type { Approach, Peer } from './peer.ts'
import { approachTo, eitherOf, silentFor } from './transport.ts'

export interface UpgradeRequest {
  method: 'GET' | 'POST'
  /** Path and query, escaped. */
  path: string
  /** Headers of the upgrade, including `upgrade`; the credential is added. */
  headers: Readonly<Record<string, string | string[]>>
  /** Ends the attempt, but not an upgraded connection. */
  signal: AbortSignal
}

export interface UpgradeAnswer {
  /** If `connection` is undefined, the caller reads or destroys its body. */
  answer: IncomingMessage
  /** Undefined when the server did not change the protocol. */
  connection: UpgradedConnection | undefined
}

/**
 * Upgrades a new connection to an API server to another protocol, with the peer's credential. Each direction can end
 * independently. The connection stays unread until the caller reads it, and ends with the peer.
 *
 * @throws {VplaneError} `UNREACHABLE` or `TIMED_OUT` without an answer. When the signal fires, its reason.
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
      // Node.js passes it to the socket; its types do not declare it.
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
      // The caller observes the close; without a listener an error would end the process.
      socket.on('error', () => {})
      addAbortSignal(closed, socket)
      resolve({ answer, connection: { socket, head } })
    })
    outgoing.on('response', (answer) => resolve({ answer, connection: undefined }))
    outgoing.end()
  })
}
