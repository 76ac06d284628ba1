import type { Socket } from 'node:net'
import { formatMetrics } from '../shared/text/format-metrics.ts'
import { type ClientConnection, Places } from './places.ts'

/** Each has a socket and up to 16 KiB. */
const MAX_HELD = 1000

/** A connection that was passed on has two sockets, of up to 100 KiB while both sides are slow. */
const MAX_PASSED = 2000

/** The limits that a test may change. */
export interface ConnectionLimits {
  /** Those that are held, and also those that say their ClientHello. */
  held: number
  passed: number
}

/** All connections of a gateway: their limits and their figures. */
export class Connections {
  readonly #limits: ConnectionLimits
  /** Those without a whole ClientHello, the oldest first. */
  readonly #arriving = new Set<Socket>()
  readonly #held: Places
  readonly #passed: Places
  #passedInTotal = 0
  #refusedInTotal = 0

  constructor(limits: Partial<ConnectionLimits> = {}) {
    this.#limits = { held: MAX_HELD, passed: MAX_PASSED, ...limits }
    this.#held = new Places(this.#limits.held)
    this.#passed = new Places(this.#limits.passed)
  }

  /** Whether there are none. */
  get isEmpty(): boolean {
    return this.#arriving.size + this.#held.taken.size + this.#passed.taken.size === 0
  }

  /**
   * Takes in a new connection while it says its ClientHello. Without room, the one that has been silent for longest is
   * destroyed, as clients say it at once.
   */
  arrive(socket: Socket): Disposable {
    const [silent] = this.#arriving
    if (silent !== undefined && this.#arriving.size >= this.#limits.held) {
      this.#arriving.delete(silent)
      this.#reject(silent)
    }
    this.#arriving.add(socket)
    return { [Symbol.dispose]: () => this.#arriving.delete(socket) }
  }

  /** Counts a connection that is held from now on. Without room, it is destroyed, or another one that makes way. */
  hold(connection: ClientConnection): Disposable | undefined {
    const surplus = this.#held.take(connection)
    if (surplus !== undefined) {
      this.#reject(surplus.socket)
    }
    return surplus === connection
      ? undefined
      : { [Symbol.dispose]: () => this.#held.leave(connection) }
  }

  /** Counts a connection that is passed on from now on. Without room, another one is destroyed, or it returns false. */
  pass(connection: ClientConnection): boolean {
    const surplus = this.#passed.take(connection)
    if (surplus === connection) {
      return false
    }
    if (surplus !== undefined) {
      this.#reject(surplus.socket)
    }
    this.#passedInTotal += 1
    connection.socket.once('close', () => this.#passed.leave(connection))
    return true
  }

  /** Counts a client that was refused. */
  refused(): void {
    this.#refusedInTotal += 1
  }

  #reject(socket: Socket): void {
    this.refused()
    socket.destroy()
  }

  /** Breaks those that were passed on, and those that have said nothing. */
  destroy(): void {
    this.#arriving.forEach((socket) => socket.destroy())
    this.#passed.taken.forEach(({ socket }) => socket.destroy())
  }

  /** The figures, with the number of requests to wake planes, in the format of Prometheus. */
  metrics({ wakeRequests }: { wakeRequests: number }): string {
    const gauge = (name: string, help: string, value: number) =>
      ({ name: `vplane_gateway_${name}`, type: 'gauge', help, samples: [{ value }] }) as const
    const counter = (name: string, help: string, value: number) =>
      ({ ...gauge(`${name}_total`, help, value), type: 'counter' }) as const
    return formatMetrics([
      gauge('held_connections', 'Connections that wait for their planes.', this.#held.taken.size),
      gauge(
        'open_connections',
        'Connections that are passed on to planes.',
        this.#passed.taken.size,
      ),
      counter(
        'passed_connections',
        'Connections that were passed on to planes.',
        this.#passedInTotal,
      ),
      counter(
        'refused_connections',
        'Connections that waited too long or exceeded a limit.',
        this.#refusedInTotal,
      ),
      counter('wake_requests', 'Requests to wake a plane that were sent.', wakeRequests),
    ])
  }
}
