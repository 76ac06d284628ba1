import { createServer, type Socket } from 'node:net'
import { listen } from '../../shared/network/listen.ts'
import { CarriedConnections } from './carried-connections.ts'
import { carryConnection } from './carry-connection.ts'
import { type Dial, isTransient } from './dial.ts'
import { waitUntilDialed } from './wait-until-dialed.ts'

export interface ListenOptions {
  /** @default 127.0.0.1, where nobody but this machine's users gets at it */
  address?: string
  /** 0 takes any that is free. */
  port: number
  /** Called once for each connection, and again when a stream breaks before it has answered. */
  dial: Dial
  /** Whether somebody is to be expected there from the beginning on, and not only once somebody was. @default true */
  isExpected?: boolean
  /** How long a client may wait for its first answer where one is to be expected, in milliseconds. @default 10_000 */
  patienceMs?: number
  /**
   * How long the first stream of a connection may be without an answer before another one is tried, in milliseconds; each
   * next one may be for twice as long. A node may be gone without a word, and who is busy answers later. @default 2000
   */
  attemptMs?: number
  /** How long the server may be silent when a client has ended, in milliseconds, where it cannot be told so. @default 5000 */
  lingerMs?: number
  /** The number of connections that are carried has changed. */
  onChange?: (connections: number) => void
  /** Nobody answered a connection. */
  onFailure?: (error: unknown) => void
  /** It listens again. */
  onRecovery?: () => void
}

/** A listener that carries connections. Disposing it ends those that are open, too. */
export interface TunnelListener extends AsyncDisposable {
  readonly port: number
  /** Connections whose client has begun to speak. */
  readonly connections: number
  /** From now on somebody is to be expected there. */
  expect(): void
  /** Takes no more connections, for good; those that are open go on. */
  close(): void
  /** Resolves when no connection is carried. */
  drained(): Promise<void>
  /** PlaneObserver whether open streams are still alive, where they can tell, and ends those that are not. */
  probe(): void
  /** Keeps this process from running no longer than it would without it. */
  unref(): void
}

/**
 * Where nobody is to be expected yet, whoever waits looks after the plane as well, and has to be told soon: how long a
 * client may wait first, and at most. It doubles each time, as the way to a server that is there may be long.
 */
const [UNEXPECTED_MS, LONGEST_UNEXPECTED_MS] = [1000, 4000]

/**
 * Listens on a port of this machine and carries each connection, byte for byte, over a fresh stream of `dial()`.
 *
 * When a client got no answer in time, it stops listening until the plane can be dialled again: clients are refused then,
 * and say so at once, where one that is cut off tries again for a minute.
 *
 * @throws {VplaneError} `CONFLICT` when another program listens there, `FAILED` when the address cannot be listened on.
 */
export async function listenTunnel(options: ListenOptions): Promise<TunnelListener> {
  const { address = '127.0.0.1', dial, patienceMs = 10_000 } = options
  const { attemptMs = 2000, lingerMs = 5000 } = options
  const connections = new CarriedConnections(options.onChange)
  const closing = new AbortController()
  let isExpected = options.isExpected ?? true
  let unexpectedMs = UNEXPECTED_MS
  let isReferenced = true
  let isPausedPlane = false

  const accept = (client: Socket) => {
    if (!isReferenced) {
      client.unref()
    }
    connections.add(client)
    void carryConnection(client, {
      dial,
      lingerMs,
      attemptMs,
      onBegin: () => {
        connections.begin(client)
        return isExpected ? patienceMs : unexpectedMs
      },
      onAnswer: (stream) => {
        isExpected = true
        connections.join(stream)
      },
      onFailure: (error) => {
        unexpectedMs = Math.min(unexpectedMs * 2, LONGEST_UNEXPECTED_MS)
        if (isExpected && isTransient(error)) {
          void rest()
        }
        options.onFailure?.(error)
      },
    })
  }
  let listener = await openListener({ address, port: options.port, accept })
  const { port } = listener
  const rest = async () => {
    if (isPausedPlane || closing.signal.aborted) {
      return
    }
    isPausedPlane = true
    listener.close()
    try {
      await waitUntilDialed(dial, { signal: closing.signal, ref: isReferenced })
      const opened = await openListener({ address, port, accept })
      if (closing.signal.aborted) {
        opened.close()
        return
      }
      listener = opened
      if (!isReferenced) {
        listener.unref()
      }
      isPausedPlane = false
      options.onRecovery?.()
    } catch (error) {
      if (!closing.signal.aborted) {
        options.onFailure?.(error)
      }
    }
  }
  const close = () => {
    closing.abort()
    listener.close()
  }
  return {
    port,
    get connections() {
      return connections.size
    },
    expect: () => {
      isExpected = true
    },
    close,
    drained: () => connections.drained(),
    probe: () => connections.probe(),
    unref: () => {
      isReferenced = false
      listener.unref()
    },
    [Symbol.asyncDispose]: () => {
      close()
      connections.destroy()
      return Promise.resolve()
    },
  }
}

interface ListenerOptions {
  address: string
  /** 0 takes any that is free. */
  port: number
  accept: (client: Socket) => void
}

/** A port that is listened on. */
interface Listener {
  readonly port: number
  /** Nobody listens there any more when it returns; connections go on. */
  close(): void
  unref(): void
}

/** Listens on a port, and hands over each connection as it comes; fails as `listenTunnel` does. */
async function openListener({ accept, address, port }: ListenerOptions): Promise<Listener> {
  const server = createServer({ allowHalfOpen: true, noDelay: true }, accept)
  const bound = await listen(server, { address, port })
  // Such as too many open files: the next connection may work again.
  server.on('error', () => {})
  return {
    port: bound,
    close: () => void (server.listening && server.close()),
    unref: () => void server.unref(),
  }
}
