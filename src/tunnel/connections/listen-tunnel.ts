import { createServer, type Socket } from 'node:net'
import { listen } from '../../shared/network/listen.ts'
import { AdditionalStreams } from './additional-streams.ts'
import { CarriedConnections } from './carried-connections.ts'
import { carryConnection, type CarryOptions } from './carry-connection.ts'
import { type Dial, isTransient } from './dial.ts'
import { waitUntilDialed } from './wait-until-dialed.ts'

/** By default, `attemptMs` is 2000, and `lingerMs` 5000. */
export interface ListenOptions extends Partial<Pick<CarryOptions, 'attemptMs' | 'lingerMs'>> {
  /** @default 127.0.0.1, which only users of this machine can reach */
  address?: string
  /** 0 selects any free port. */
  port: number
  /** Called once for each connection, and again when a stream breaks before it has answered. */
  dial: Dial
  /** Whether the plane is expected to answer from the start, and not only after its first answer. @default true */
  isExpected?: boolean
  /** How long a client may wait for its first answer if one is expected, in milliseconds. @default 10_000 */
  patienceMs?: number
  onChange?: (connections: number) => void
  /** Called when a connection got no answer. */
  onFailure?: (error: unknown) => void
  /** Called when it listens again. */
  onRecovery?: () => void
}

/** A listener that carries connections. Disposing it also ends open ones. */
export interface TunnelListener extends AsyncDisposable {
  readonly port: number
  /** Connections whose client has begun to speak. */
  readonly connections: number
  /** Expects the plane to answer from now on. */
  expect(): void
  /** Accepts no more connections, permanently; open ones continue. */
  close(): void
  /** Resolves when no connection is carried. */
  drained(): Promise<void>
  /** Checks whether open streams are alive, if they can be checked, and ends dead ones. */
  probe(): void
  unref(): void
}

/**
 * How long a client may wait while the plane is not expected to answer: at first, and at most. It is short because the
 * client checks the plane as well, and doubles each time because the connection may be slow.
 */
const [UNEXPECTED_MS, LONGEST_UNEXPECTED_MS] = [1000, 4000]

/**
 * Listens on a port of this machine and carries each connection, byte for byte, over a fresh stream of `dial()`.
 *
 * When a client got no answer in time, and no other client got one meanwhile, it stops listening until the plane can be
 * dialled again: refused clients fail at once, while an interrupted one retries for a minute.
 *
 * @throws {VplaneError} `FAILED` when another program listens there, or the address cannot be listened on.
 */
export async function listenTunnel(options: ListenOptions): Promise<TunnelListener> {
  const { address = '127.0.0.1', dial, patienceMs = 10_000 } = options
  const { attemptMs = 2000, lingerMs = 5000 } = options
  const connections = new CarriedConnections(options.onChange)
  const additional = new AdditionalStreams()
  const closing = new AbortController()
  let isExpected = options.isExpected ?? true
  let unexpectedMs = UNEXPECTED_MS
  let isReferenced = true
  let isResting = false
  let answers = 0

  const accept = (client: Socket) => {
    if (!isReferenced) {
      client.unref()
    }
    connections.add(client)
    let answersBefore = 0
    void carryConnection(client, {
      dial,
      lingerMs,
      attemptMs,
      additional,
      onBegin: () => {
        connections.begin(client)
        answersBefore = answers
        return isExpected ? patienceMs : unexpectedMs
      },
      onAnswer: (stream) => {
        isExpected = true
        answers += 1
        connections.join(stream)
      },
      onFailure: (error) => {
        unexpectedMs = Math.min(unexpectedMs * 2, LONGEST_UNEXPECTED_MS)
        if (isExpected && answers === answersBefore && isTransient(error)) {
          void rest()
        }
        options.onFailure?.(error)
      },
    })
  }
  let listener = await openListener({ address, port: options.port }, accept)
  const { port } = listener
  const rest = async () => {
    if (isResting || closing.signal.aborted) {
      return
    }
    isResting = true
    listener.close()
    try {
      await waitUntilDialed(dial, { signal: closing.signal, ref: isReferenced })
      const opened = await openListener({ address, port }, accept)
      if (closing.signal.aborted) {
        opened.close()
        return
      }
      listener = opened
      if (!isReferenced) {
        listener.unref()
      }
      isResting = false
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

/** Closing the listener stops listening at once; connections continue. */
async function openListener(
  { address, port }: { address: string; port: number },
  accept: (client: Socket) => void,
) {
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
