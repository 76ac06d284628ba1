import { createServer, type Server, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { hasErrorCode, messageOf, VplaneError } from '../shared/errors.ts'
import { carryConnection } from './carry-connection.ts'
import { type Dial, probe } from './dial.ts'
import { Patience, type PatienceOptions } from './patience.ts'

export interface ListenOptions {
  /** @default 127.0.0.1, where nobody but this machine's users gets at it */
  address?: string
  /** 0 takes any that is free. */
  port: number
  /** Called once for each connection, and again when a stream breaks before it has answered. */
  dial: Dial
  patience?: PatienceOptions
  /** How long the server may be silent when a client has ended, in milliseconds, where it cannot be told so. @default 5000 */
  lingerMs?: number
  /** The number of connections that are carried has changed. */
  onChange?: (connections: number) => void
  /** Nobody answered a connection. */
  onFailure?: (error: unknown) => void
}

/** A listener that carries connections. Disposing it ends those that are open, too. */
export interface TunnelListener extends AsyncDisposable {
  readonly port: number
  /** Connections whose client has begun to speak. */
  readonly connections: number
  /** Takes no more connections; those that are open go on. Resolves when nobody listens on the port any more. */
  close(): Promise<void>
  /** Resolves when no connection is carried. */
  drained(): Promise<void>
  /** Looks whether open streams are still alive, where they can tell, and ends those that are not. */
  probe(): void
  /** Keeps this process from running no longer than it would without it. */
  unref(): void
}

/**
 * Listens on a port of this machine and carries each connection, byte for byte, over a fresh stream of `dial()`.
 *
 * @throws {VplaneError} `CONFLICT` when another program listens there, `FAILED` when the address cannot be listened on.
 */
export async function listenTunnel(options: ListenOptions): Promise<TunnelListener> {
  const { address = '127.0.0.1', dial, lingerMs = 5000, onChange, onFailure, port } = options
  const patience = new Patience(options.patience)
  const sockets = new Set<Socket>()
  const carried = new Set<Socket>()
  const streams = new Set<Duplex>()
  let isReferenced = true

  const whenDrained = new Set<() => void>()
  const change = () => {
    onChange?.(carried.size)
    if (carried.size === 0) {
      whenDrained.forEach((resolve) => resolve())
      whenDrained.clear()
    }
  }
  const accept = (client: Socket) => {
    let startedAt = 0
    if (!isReferenced) {
      client.unref()
    }
    sockets.add(client)
    client.once('close', () => {
      sockets.delete(client)
      if (carried.delete(client)) {
        change()
      }
    })
    void carryConnection(client, {
      dial,
      lingerMs,
      onBegin: () => {
        startedAt = performance.now()
        carried.add(client)
        change()
        return patience.budgetMs(startedAt)
      },
      onAnswer: (upstream) => {
        patience.answered()
        streams.add(upstream)
        upstream.once('close', () => streams.delete(upstream))
      },
      onFailure: (error) => {
        patience.failed(startedAt, performance.now())
        onFailure?.(error)
      },
    })
  }
  const server = createServer({ allowHalfOpen: true, noDelay: true }, accept)
  await listen(server, { address, port })
  const close = () => stopListening(server)
  return {
    port: portOf(server),
    get connections() {
      return carried.size
    },
    close,
    drained: () =>
      new Promise((resolve) => {
        whenDrained.add(resolve)
        if (carried.size === 0) {
          resolve()
        }
      }),
    probe: () => streams.forEach(probe),
    unref: () => {
      isReferenced = false
      server.unref()
    },
    [Symbol.asyncDispose]: async () => {
      const closed = close()
      for (const socket of sockets) {
        socket.destroy()
      }
      await closed
    },
  }
}

async function listen(server: Server, at: { address: string; port: number }): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen({ host: at.address, port: at.port, exclusive: true }, resolve)
    })
  } catch (error) {
    throw toListenError(error, at)
  }
  // Such as too many open files: the next connection may work again.
  server.on('error', () => {})
}

function toListenError(error: unknown, at: { address: string; port: number }): VplaneError {
  const place = `${at.address}:${at.port}`
  return hasErrorCode(error, 'EADDRINUSE')
    ? new VplaneError('CONFLICT', `another program listens on ${place}`, { cause: error })
    : new VplaneError('FAILED', `cannot listen on ${place}: ${messageOf(error)}`, { cause: error })
}

function portOf(server: Server): number {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** Server.close() waits for all connections; its handle is closed at once. */
function stopListening(server: Server): Promise<void> {
  if (server.listening) {
    server.close()
  }
  return Promise.resolve()
}
