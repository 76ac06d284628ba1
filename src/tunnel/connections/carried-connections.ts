import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { probe } from './dial.ts'

/** The clients of a tunnel, before and after their first byte, and their streams. */
export class CarriedConnections {
  readonly #onChange: (connections: number) => void
  readonly #clients = new Set<Socket>()
  readonly #carried = new Set<Socket>()
  readonly #streams = new Set<Duplex>()
  readonly #waiting = new Set<() => void>()

  constructor(onChange: (connections: number) => void = () => {}) {
    this.#onChange = onChange
  }

  /** The number of clients that have sent a byte and are still connected. */
  get size(): number {
    return this.#carried.size
  }

  add(client: Socket): void {
    this.#clients.add(client)
    client.once('close', () => {
      this.#clients.delete(client)
      if (this.#carried.delete(client)) {
        this.#changed()
      }
    })
  }

  /** Counts a client that has sent its first byte. */
  begin(client: Socket): void {
    this.#carried.add(client)
    this.#changed()
  }

  /** Adds a stream that has answered. */
  join(stream: Duplex): void {
    this.#streams.add(stream)
    stream.once('close', () => this.#streams.delete(stream))
  }

  probe(): void {
    this.#streams.forEach(probe)
  }

  destroy(): void {
    this.#clients.forEach((client) => client.destroy())
  }

  /** Resolves when none is carried. */
  drained(): Promise<void> {
    return new Promise((resolve) => {
      if (this.size === 0) {
        resolve()
      } else {
        this.#waiting.add(resolve)
      }
    })
  }

  #changed(): void {
    this.#onChange(this.size)
    if (this.size === 0) {
      this.#waiting.forEach((resolve) => resolve())
      this.#waiting.clear()
    }
  }
}
