import type { Socket } from 'node:net'

/**
 * Closes a connection without the loss of bytes that were written to it: ends it after them, discards what still arrives,
 * and destroys it once the other side has ended, too, or `lingerMs` after the kernel took the last byte (nginx calls this
 * a lingering close).
 *
 * When a socket is destroyed at once, the kernel answers the next byte for it, such as a ping, with a reset, and drops
 * what it has not sent yet (RFC 1122, section 4.2.2.13).
 */
export function closeLingering(socket: Socket, lingerMs: number): void {
  if (socket.destroyed) {
    return
  }
  const linger = () => {
    const timer = setTimeout(() => socket.destroy(), lingerMs)
    socket.once('close', () => clearTimeout(timer))
  }
  socket.resume()
  if (socket.writableFinished) {
    linger()
  } else {
    socket.once('finish', linger)
    socket.end()
  }
}
