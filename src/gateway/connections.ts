import type { Socket } from 'node:net'
import { formatMetrics } from '../shared/text/format-metrics.ts'
import { MAX_HELD } from './held-connection.ts'
import type { Outcome } from './held-client.ts'

/** A plane that sleeps, or cannot be woken, leaves room for the clients of others. */
const MAX_OF_PLANE = 500

/** A client that connects every 20 ms holds 450 within 9 s. All pods of a node may share its address. */
const MAX_OF_SOURCE = 500

/** A connection that was passed on has two sockets, of up to 100 KiB while both sides are slow. */
const MAX_PASSED = 2000

/** The limits that a test may change. */
export interface ConnectionLimits {
  held: number
  ofPlane: number
  ofSource: number
  passed: number
}

const LIMITS: ConnectionLimits = {
  held: MAX_HELD,
  ofPlane: MAX_OF_PLANE,
  ofSource: MAX_OF_SOURCE,
  passed: MAX_PASSED,
}

/** All connections of a gateway: their limits and their figures. */
export class Connections {
  readonly #limits: ConnectionLimits
  /** Those without a whole ClientHello, the oldest first. */
  readonly #arriving = new Set<Socket>()
  readonly #passed = new Set<Socket>()
  readonly #ofPlanes = new Map<string, number>()
  readonly #ofSources = new Map<string, number>()
  #held = 0
  #passedInTotal = 0
  #refusedInTotal = 0

  constructor(limits: Partial<ConnectionLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits }
  }

  /** Whether there are none. */
  get isEmpty(): boolean {
    return this.#arriving.size + this.#held + this.#passed.size === 0
  }

  /**
   * Takes in a new connection while it says its ClientHello. Without room, the one that has been silent for longest is
   * destroyed, as clients say it at once; a new one only when all others are held.
   */
  arrive(socket: Socket): Disposable {
    if (this.#arriving.size + this.#held >= this.#limits.held) {
      const [silent = socket] = this.#arriving
      this.#arriving.delete(silent)
      this.reject(silent)
    }
    if (!socket.destroyed) {
      this.#arriving.add(socket)
    }
    return { [Symbol.dispose]: () => this.#arriving.delete(socket) }
  }

  /** Counts a connection for a plane that is held from now on; returns undefined when it is over a limit. */
  hold(plane: string, source: string): Disposable | undefined {
    const { ofPlane, ofSource } = this.#limits
    const isOver =
      countOf(this.#ofPlanes, plane) >= ofPlane || countOf(this.#ofSources, source) >= ofSource
    if (isOver) {
      return undefined
    }
    const add = (count: number) => {
      this.#held += count
      addTo(this.#ofPlanes, plane, count)
      addTo(this.#ofSources, source, count)
    }
    add(1)
    return { [Symbol.dispose]: () => add(-1) }
  }

  /** Destroys a connection that is over a limit. */
  reject(socket: Socket): void {
    this.#refusedInTotal += 1
    socket.destroy()
  }

  /** Whether another connection can be passed on. */
  get canPass(): boolean {
    return this.#passed.size < this.#limits.passed
  }

  /** Counts what became of a connection that was held. */
  ended(socket: Socket, outcome: Outcome): void {
    if (outcome === 'refused') {
      this.#refusedInTotal += 1
    }
    if (outcome === 'passed') {
      this.#passedInTotal += 1
      if (!socket.destroyed) {
        this.#passed.add(socket)
        socket.once('close', () => this.#passed.delete(socket))
      }
    }
  }

  /** Breaks those that were passed on, and those that have said nothing. */
  destroy(): void {
    for (const socket of [...this.#arriving, ...this.#passed]) {
      socket.destroy()
    }
  }

  /** The figures, with the number of requests to wake planes, in the format of Prometheus. */
  metrics({ wakeRequests }: { wakeRequests: number }): string {
    const gauge = (name: string, help: string, value: number) =>
      ({ name: `vplane_gateway_${name}`, type: 'gauge', help, samples: [{ value }] }) as const
    const counter = (name: string, help: string, value: number) =>
      ({ ...gauge(`${name}_total`, help, value), type: 'counter' }) as const
    return formatMetrics([
      gauge('held_connections', 'Connections that wait for their planes.', this.#held),
      gauge('open_connections', 'Connections that are passed on to planes.', this.#passed.size),
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

function countOf(counts: ReadonlyMap<string, number>, key: string): number {
  return counts.get(key) ?? 0
}

function addTo(counts: Map<string, number>, key: string, count: number): void {
  const sum = countOf(counts, key) + count
  if (sum === 0) {
    counts.delete(key)
  } else {
    counts.set(key, sum)
  }
}
