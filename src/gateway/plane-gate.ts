import { createServer, type Server, type Socket } from 'node:net'
import type { GatewayPlane, GatewayState, WaitingClient } from '../manifests/gateway-records.ts'
import { messageOf } from '../shared/errors.ts'
import { MAX_HELLO_BYTES } from './client-hello.ts'
import type { Connections } from './connections.ts'
import { HeldClient } from './held-client.ts'
import { HOLD_MS, holdConnection, refuseConnection } from './held-connection.ts'
import { type Place, reachPlane } from './reach-plane.ts'
import type { WakeRequests } from './wake-requests.ts'

/** How often a plane that refuses connections is tried. */
const RETRY_MS = 50

/** How often a port that cannot be listened on is tried. */
const LISTEN_MS = 1000

/**
 * Node.js accepts one connection of a port at a time. When those that the kernel has completed fill this, it drops others,
 * which come again a second later. It cannot be more than the kernel allows.
 */
const BACKLOG = 4096

export interface GateOptions {
  name: string
  plane: Pick<GatewayPlane, 'id' | 'port'>
  /** The API server of the plane. */
  upstream: Place
  connections: Connections
  requests: Pick<WakeRequests, 'ask'>
  log: (line: string) => void
  /** How long a client waits, in milliseconds. @default 9 s */
  holdMs?: number | undefined
}

/**
 * The port of one plane in the gateway. It passes connections on to the plane without a change of their bytes, and holds them
 * while the plane sleeps or does not answer yet. The port alone says which plane a client wants, whatever server it names.
 */
export class PlaneGate {
  readonly #options: GateOptions
  /** In the order in which they came. */
  readonly #held = new Set<HeldClient>()
  #state: GatewayState = 'closed'
  #hasLeft = false
  #server: Server | undefined
  #listening: NodeJS.Timeout | undefined
  #failure: string | undefined
  /** The plane has refused a connection: one after the other tries again, since each try asks the DNS, too. */
  #isRefusing = false
  #retry: NodeJS.Timeout | undefined

  constructor(options: GateOptions) {
    this.#options = options
  }

  /** Whether it does what its state asks for. */
  get isReady(): boolean {
    return this.#state === 'closed' || this.#server?.listening === true
  }

  /** Whether it is the gate of this plane. */
  isOf({ id, port }: GatewayPlane): boolean {
    return id === this.#options.plane.id && port === this.#options.plane.port
  }

  /** Does what the state asks for from now on. When it is closed, clients that wait are refused. */
  follow(state: GatewayState): void {
    if (state === this.#state) {
      return
    }
    this.#state = state
    if (state === 'closed') {
      this.#close()
      this.#held.forEach((held) => held.refuse())
    } else {
      this.#listen()
      this.#isRefusing = false
      this.#held.forEach((held) => this.#serve(held))
    }
  }

  /** Listens no more. Clients that wait still wait, and connections that were passed on continue. */
  leave(): void {
    this.#hasLeft = true
    this.#close()
  }

  #close(): void {
    clearTimeout(this.#listening)
    this.#server?.close()
    this.#server = undefined
  }

  #listen(): void {
    if (this.#server !== undefined || this.#hasLeft) {
      return
    }
    const { log, name, plane } = this.#options
    const accept = (socket: Socket) => void this.#accept(socket)
    const server = createServer({ allowHalfOpen: true, noDelay: true }, accept)
    const fail = (error: unknown) => {
      const failure = messageOf(error)
      if (failure !== this.#failure) {
        this.#failure = failure
        log(`${name}: error: cannot listen on port ${plane.port}: ${failure}`)
      }
      if (!server.listening && this.#server === server) {
        this.#server = undefined
        this.#listening = setTimeout(() => this.#listen(), LISTEN_MS)
      }
    }
    this.#server = server
    server.on('error', fail)
    server.once('listening', () => {
      this.#failure = undefined
    })
    try {
      // Without a host: all addresses of both families, or of IPv4 where there is no other.
      server.listen({ port: plane.port, backlog: BACKLOG })
    } catch (error) {
      fail(error)
    }
  }

  async #accept(socket: Socket): Promise<void> {
    const arrivedAt = performance.now()
    const { connections, holdMs = HOLD_MS, name } = this.#options
    const address = plainAddress(socket)
    const connection = await this.#arrive(socket)
    if (connection === undefined) {
      socket.destroy()
      return
    }
    using place = connections.hold({ plane: name, source: address, socket })
    if (place === undefined) {
      return
    }
    if (this.#state === 'closed') {
      refuseConnection(connection)
      connections.refused()
      return
    }
    const ms = holdMs - (performance.now() - arrivedAt)
    const held = new HeldClient(connection, { address, ms })
    this.#held.add(held)
    this.#serve(held)
    const outcome = await held.outcome
    this.#held.delete(held)
    if (outcome === 'refused') {
      connections.refused()
    }
  }

  async #arrive(socket: Socket) {
    using _place = this.#options.connections.arrive(socket)
    const connection = socket.destroyed ? undefined : await holdConnection(socket)
    const isClient = !socket.destroyed && (connection?.head.length ?? 0) <= MAX_HELLO_BYTES
    return isClient ? connection : undefined
  }

  #serve(held: HeldClient): void {
    if (this.#state === 'asleep') {
      if (!held.isOfApiServer) {
        const { name, plane, requests } = this.#options
        requests.ask({ name, id: plane.id }, () => this.#waiting())
      }
    } else if (this.#isRefusing) {
      this.#retryLater()
    } else if (!held.isDialing) {
      void this.#dial(held)
    }
  }

  /** The clients for whom the plane is to be woken. */
  #waiting(): WaitingClient[] {
    const held = this.#state === 'asleep' ? [...this.#held] : []
    return held.filter((one) => !one.isOfApiServer).map(({ client }) => client)
  }

  async #dial(held: HeldClient): Promise<void> {
    const { connections, name, upstream } = this.#options
    const { client, ended, head, socket } = held
    held.isDialing = true
    const plane = await reachPlane(head, upstream, ended)
    held.isDialing = false
    if (plane !== undefined) {
      const connection = { plane: name, source: client.address, socket }
      if (!ended.aborted && connections.pass(connection)) {
        held.pass(plane, { sent: head.length })
      } else {
        plane.socket.destroy()
        held.refuse()
      }
      this.#isRefusing = false
      this.#held.forEach((other) => this.#serve(other))
    } else if (!ended.aborted) {
      this.#isRefusing = true
      this.#serve(held)
    }
  }

  #retryLater(): void {
    if (this.#retry !== undefined) {
      return
    }
    this.#retry = setTimeout(() => {
      this.#retry = undefined
      const next = [...this.#held].find(({ isDialing }) => !isDialing)
      if (next === undefined || this.#state !== 'awake') {
        this.#isRefusing = false
      } else {
        void this.#dial(next)
        // Others do not wait for an answer to this one.
        this.#retryLater()
      }
    }, RETRY_MS)
  }
}

/** The address of a client; one of IPv4 as IPv4 writes it. */
function plainAddress({ remoteAddress = '' }: Socket): string {
  return remoteAddress.replace(/^::ffff:(?=\d+\.)/i, '')
}
