import type { Socket } from 'node:net'
import { closeLingering } from '../shared/network/close-lingering.ts'
import { type ClientHello, ClientHelloReader } from './client-hello.ts'

/** How long a client waits at most: clients of Kubernetes give a TLS handshake 10 s (client-go, `TLSHandshakeTimeout`). */
export const HOLD_MS = 9000

/** How long one side of a connection that was passed on may say nothing after the other one has ended. */
export const LINGER_MS = 30_000

/** Whatever sends no ClientHello within this time is no client of a plane, in milliseconds. */
const HELLO_TIMEOUT_MS = 5000

/** A fatal alert, internal_error (RFC 8446, section 6): clients report it, and come again. */
const ALERT = Buffer.from([21, 3, 3, 0, 2, 2, 80])

/** A refused client that does not close its connection loses it after this time, in milliseconds. */
const REFUSED_MS = 1000

/** The name with which kube-apiserver connects to itself: `LoopbackClientServerNameOverride` of k8s.io/apiserver. */
const OF_API_SERVER = 'apiserver-loopback-client'

/** A connection of a client that waits for its plane. */
export interface HeldConnection {
  socket: Socket
  hello: ClientHello
  /** All its bytes so far. */
  head: Buffer
}

/** Reads the ClientHello of a new connection, and holds what follows. Returns undefined when there is none. */
export async function holdConnection(socket: Socket): Promise<HeldConnection | undefined> {
  const reader = new ClientHelloReader()
  let head: Buffer = Buffer.alloc(0)
  socket.on('error', () => {})
  const timer = setTimeout(() => socket.destroy(), HELLO_TIMEOUT_MS)
  try {
    return await new Promise<HeldConnection | undefined>((resolve) => {
      const read = (bytes: Buffer) => {
        head = Buffer.concat([head, bytes])
        const hello = reader.read(head)
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
  socket.write(ALERT)
  closeLingering(socket, REFUSED_MS)
}

/** Whether an API server connects to itself, as it does while it starts and ends: that is no use of the plane. */
export function isOfApiServer({ hello }: Pick<HeldConnection, 'hello'>): boolean {
  return hello.serverName === OF_API_SERVER
}
