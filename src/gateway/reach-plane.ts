import { connect } from 'node:net'
import type { UpgradedConnection } from '../shared/network/join-sockets.ts'

/** A host and a port. */
export interface Place {
  host: string
  port: number
}

/** A packet that nobody answers is sent again after a second: then, a new connection is as good. */
const CONNECT_MS = 1000

/**
 * Connects to an API server, sends it the ClientHello of a client, and waits for its first bytes. Returns undefined when
 * it refuses the connection, or ends it without a byte, as one does that stops: then the same ClientHello can be sent again.
 */
export async function reachPlane(
  head: Buffer,
  place: Place,
  signal: AbortSignal,
): Promise<UpgradedConnection | undefined> {
  if (signal.aborted) {
    return undefined
  }
  const socket = connect({ ...place, allowHalfOpen: true, noDelay: true })
  const { promise, resolve } = Promise.withResolvers<UpgradedConnection | undefined>()
  const answer = (bytes: Buffer) => {
    socket.pause()
    resolve({ socket, head: bytes })
  }
  const fail = () => {
    socket.destroy()
    resolve(undefined)
  }
  const timer = setTimeout(fail, CONNECT_MS)
  signal.addEventListener('abort', fail)
  socket.on('error', fail).on('end', fail).on('close', fail).once('data', answer)
  socket.once('connect', () => {
    clearTimeout(timer)
    socket.write(head)
  })
  const found = await promise
  clearTimeout(timer)
  signal.removeEventListener('abort', fail)
  socket.off('end', fail).off('close', fail)
  return found
}
