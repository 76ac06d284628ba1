import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { setImmediate, setTimeout as delay } from 'node:timers/promises'
import { messageOf } from '../shared/errors.ts'
import { PORT_REQUEST } from '../shared/network/ask-for-port.ts'
import { joinSockets } from '../shared/network/join-sockets.ts'
import type { Connections } from './connections.ts'
import {
  HOLD_MS,
  type HeldConnection,
  holdConnection,
  isOfApiServer,
  LINGER_MS,
  refuseConnection,
} from './held-connection.ts'

const CHECK_MS = 50

/** How often it waits for connections that the kernel has completed, of which 511 wait at most: new ones may come without an end. */
const MOST_ROUNDS = 1000

/** A client that came while the plane slept. */
export interface WakingClient {
  address: string
  port: number
  serverName?: string
}

interface ReadinessApi extends AsyncDisposable {
  text: (path: string, options: { signal: AbortSignal }) => Promise<{ status: number }>
}

export interface StandInOptions {
  /** Identifies the plane. */
  plane: string
  host: string
  port: number
  /** Those of all planes. */
  connections: Pick<Connections, 'arrive' | 'hold'>
  /** Wakes the plane, or waits until it is awake. It is called for each client, and an error refuses that. */
  wake: (client: WakingClient) => Promise<void>
  /** Whether it shares its port with the API server of the plane. Otherwise, one who starts that asks for the port. */
  sharesPort: boolean
  /** Whether the API server of the plane listens on the port, too. Only asked if they share it. */
  isServed: () => Promise<boolean>
  /** Whether the port is to be given to one who asks for it. Only asked if it is not shared. */
  isToLeave: () => Promise<boolean>
  /** Asks the API server, which listens, whether it is ready. */
  openApi: () => ReadinessApi
  /** Where it says so: `/readyz`. */
  readyPath: string
  log: (line: string) => void
}

/**
 * Listens in place of the API server of a sleeping plane, on its own port, which it shares, if at all, only with programs
 * of the same user. A client that sends a ClientHello has the plane woken, and its connection is passed through to it,
 * untouched from the first byte to the last. A client that waits longer than 9 s is refused with an alert.
 */
export class StandIn {
  readonly #options: StandInOptions
  readonly #server: Server
  readonly #stop = new AbortController()
  readonly #sockets = new Set<Socket>()
  readonly #held = new Map<HeldConnection, Disposable>()
  #accepted = 0
  #watch: Promise<void> | undefined

  private constructor(options: StandInOptions) {
    this.#options = options
    this.#server = createServer((socket) => void this.#accept(socket))
  }

  /** @throws {Error} `EADDRINUSE` when another program listens on the port. */
  static async listen(options: StandInOptions): Promise<StandIn> {
    const standIn = new StandIn(options)
    const { host, port, sharesPort: reusePort } = options
    standIn.#server.listen({ host, port, reusePort, exclusive: true })
    await once(standIn.#server, 'listening')
    return standIn
  }

  /** False once the plane itself listens. */
  get isListening(): boolean {
    return this.#server.listening
  }

  /**
   * Stops listening, once it has accepted the connections that the kernel has completed: Node.js accepts one of them at a
   * time. Clients that wait are still passed on when the plane answers.
   */
  async leave(): Promise<void> {
    let accepted = -1
    for (let round = 0; accepted !== this.#accepted && round < MOST_ROUNDS; round += 1) {
      accepted = this.#accepted
      await setImmediate()
      await setImmediate()
    }
    this.#server.close()
  }

  /** Stops listening, and refuses the clients that wait. Connections that were passed on continue. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.leave()
    this.#held.forEach((_place, connection) => this.#refuse(connection))
    this.#sockets.forEach((socket) => socket.destroy())
    await this.#watch
  }

  async #accept(socket: Socket): Promise<void> {
    this.#accepted += 1
    const connection = await this.#arrive(socket)
    if (connection === undefined || socket.destroyed || this.#stop.signal.aborted) {
      socket.destroy()
      return
    }
    if (connection.hello.serverName === PORT_REQUEST) {
      await this.#giveTo(socket)
      return
    }
    const { connections, plane } = this.#options
    const { remoteAddress: address = '', remotePort: port = 0 } = socket
    const place = connections.hold({ plane, source: address, socket })
    if (place === undefined) {
      return
    }
    this.#hold(connection, place)
    if (!isOfApiServer(connection)) {
      this.#options
        .wake({ address, port, ...connection.hello })
        .catch(() => this.#refuse(connection))
    }
    this.#watch ??= this.#passOn().finally(() => {
      this.#watch = undefined
    })
  }

  async #arrive(socket: Socket): Promise<HeldConnection | undefined> {
    using _arriving = this.#options.connections.arrive(socket)
    this.#sockets.add(socket)
    try {
      return await holdConnection(socket)
    } finally {
      this.#sockets.delete(socket)
    }
  }

  /** The end of its connection tells one who asks for the port that it is free, or not to be had. */
  async #giveTo(socket: Socket): Promise<void> {
    const { isToLeave, log, sharesPort } = this.#options
    try {
      if (!sharesPort && (await isToLeave())) {
        await this.leave()
      }
    } catch (error) {
      log(`error: ${messageOf(error)}`)
    }
    socket.destroy()
  }

  #hold(connection: HeldConnection, place: Disposable): void {
    this.#held.set(connection, place)
    const timer = setTimeout(() => this.#refuse(connection), HOLD_MS)
    connection.socket.once('close', () => {
      clearTimeout(timer)
      this.#release(connection)
    })
  }

  /** Returns false for a connection that is not held any more. */
  #release(connection: HeldConnection): boolean {
    this.#held.get(connection)?.[Symbol.dispose]()
    return this.#held.delete(connection)
  }

  /** Passes on the clients that wait, once the plane answers. */
  async #passOn(): Promise<void> {
    const { isServed, log, openApi, readyPath, sharesPort } = this.#options
    const { signal } = this.#stop
    await using api = openApi()
    const isReady = async () =>
      (await api.text(readyPath, { signal }).catch(() => undefined))?.status === 200
    let failure = ''
    while (this.#held.size > 0 && !signal.aborted) {
      try {
        if (this.isListening) {
          if (sharesPort && (await isServed())) {
            await this.leave()
          }
        } else {
          this.#pass(isOfApiServer)
          if (await isReady()) {
            this.#pass(() => true)
          }
        }
      } catch (error) {
        if (messageOf(error) !== failure) {
          failure = messageOf(error)
          log(`error: ${failure}`)
        }
      }
      await delay(CHECK_MS, undefined, { signal }).catch(() => {})
    }
  }

  #pass(isDue: (connection: HeldConnection) => boolean): void {
    const { host, port } = this.#options
    for (const connection of [...this.#held.keys()].filter(isDue)) {
      this.#release(connection)
      const upstream = connect({ host, port })
      joinSockets(connection, { socket: upstream, head: Buffer.alloc(0) }, { lingerMs: LINGER_MS })
    }
  }

  #refuse(connection: HeldConnection): void {
    if (this.#release(connection)) {
      refuseConnection(connection)
    }
  }
}
