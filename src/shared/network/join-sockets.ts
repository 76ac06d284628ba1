import type { Socket } from 'node:net'
import { closeLingering } from './close-lingering.ts'

const PROBE_MS = 30_000

/** A connection after a protocol upgrade, and the first bytes already received on it. */
export interface UpgradedConnection {
  socket: Socket
  head: Buffer
}

/**
 * Copies both directions between two connections, as fast as the slower one reads. The end of one is passed on after all its
 * bytes; then the other side has to end within `lingerMs` without a byte. A broken connection breaks the other.
 */
export function joinSockets(
  one: UpgradedConnection,
  other: UpgradedConnection,
  { lingerMs }: { lingerMs: number },
): void {
  for (const socket of [one.socket, other.socket]) {
    socket.setNoDelay(true)
    socket.setKeepAlive(true, PROBE_MS)
    // HTTP's own timeouts would end the connection.
    socket.removeAllListeners('timeout')
    socket.setTimeout(0)
  }
  write(other.socket, one.head)
  write(one.socket, other.head)
  one.socket.pipe(other.socket)
  other.socket.pipe(one.socket)
  passEnds(one.socket, other.socket, lingerMs)
  passEnds(other.socket, one.socket, lingerMs)
}

function passEnds(from: Socket, to: Socket, lingerMs: number): void {
  const ended = () => {
    to.setTimeout(lingerMs)
    to.on('timeout', () => {
      if (to.writableFinished && from.writableLength === 0) {
        to.destroy()
      } else {
        // A slow reader: bytes are still on their way to it, and no more are read before.
        to.setTimeout(lingerMs)
      }
    })
    // The time also starts again when those bytes have arrived.
    from.on('drain', () => to.setTimeout(lingerMs))
  }
  const closed = () => {
    if (from.readableEnded) {
      // All its bytes must still arrive; bytes for it have no reader any more.
      closeLingering(to, lingerMs)
    } else {
      to.destroy()
    }
  }
  from.on('error', () => {})
  from.once('end', ended)
  from.once('close', closed)
  if (from.readableEnded) {
    ended()
  }
  if (from.destroyed) {
    closed()
  }
}

function write(to: Socket, head: Buffer): void {
  if (head.length > 0) {
    to.write(head)
  }
}
