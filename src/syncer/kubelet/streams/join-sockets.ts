import type { Socket } from 'node:net'
import type { UpgradedConnection } from '../../../kube/http/open-upgrade.ts'

/** Between two questions of the system whether the other side is still there. */
const PROBE_MS = 30_000

/**
 * Carries both directions between two connections, as fast as the slower one takes them. An end is passed on, and what
 * was said before it arrives; after it the other side has `lingerMs` without a byte to end too. A connection that breaks
 * breaks the other.
 */
export function joinSockets(
  one: UpgradedConnection,
  other: UpgradedConnection,
  { lingerMs }: { lingerMs: number },
): void {
  for (const socket of [one.socket, other.socket]) {
    socket.setNoDelay(true)
    socket.setKeepAlive(true, PROBE_MS)
    // Those of HTTP would end it.
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
        // Somebody reads slowly: what was said is still to arrive, and nothing more is taken before.
        to.setTimeout(lingerMs)
      }
    })
    // Nor is it silence when that has just arrived, and the next of it is still to be read.
    from.on('drain', () => to.setTimeout(lingerMs))
  }
  const closed = () => {
    if (from.readableEnded) {
      // It has said all: that must still arrive, and what is said to it has no reader any more.
      to.resume()
      to.destroySoon()
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
