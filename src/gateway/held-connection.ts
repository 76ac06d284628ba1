import type { Socket } from 'node:net'
import { type ClientHello, readClientHello } from './client-hello.ts'

/** Whatever sends no ClientHello within this time is no client of a plane, in milliseconds. */
const HELLO_TIMEOUT_MS = 5000

/** A fatal alert, internal_error (RFC 8446, section 6): clients report it, and come again. */
const ALERT = Buffer.from([21, 3, 3, 0, 2, 2, 80])

/** A connection of a client that waits for its plane. */
export interface HeldConnection {
  socket: Socket
  hello: ClientHello
  /** All its bytes so far. */
  head: Buffer
}

/** Reads the ClientHello of a new connection, and holds what follows. Returns undefined when there is none. */
export async function holdConnection(socket: Socket): Promise<HeldConnection | undefined> {
  let head: Buffer = Buffer.alloc(0)
  socket.on('error', () => {})
  const timer = setTimeout(() => socket.destroy(), HELLO_TIMEOUT_MS)
  try {
    return await new Promise<HeldConnection | undefined>((resolve) => {
      const read = (bytes: Buffer) => {
        head = Buffer.concat([head, bytes])
        const hello = readClientHello(head)
        if (hello !== 'incomplete') {
          socket.off('data', read)
          socket.pause()
          resolve(hello === 'invalid' ? undefined : { socket, hello, head })
        }
      }
      socket.on('data', read)
      socket.once('close', () => resolve(undefined))
      socket.once('end', () => resolve(undefined))
    })
  } finally {
    clearTimeout(timer)
  }
}

/** Ends a connection in a way that its client understands. */
export function refuseConnection({ socket }: Pick<HeldConnection, 'socket'>): void {
  socket.end(ALERT)
  socket.resume()
}
