import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { probe } from './dial.ts'

/** The clients of a tunnel: those that have just come, those that are carried, and the streams that carry them. */
export class CarriedConnections {
  readonly #onChange: (connections: number) => void
  readonly #clients = new Set<Socket>()
  readonly #carried = new Set<Socket>()
  readonly #streams = new Set<Duplex>()
  readonly #waiting = new Set<() => void>()

  /** @param onChange is told how many are carried, whenever that changes */
  constructor(onChange: (connections: number) => void = () => {}) {
    this.#onChange = onChange
  }

  /** How many clients have begun to speak and are not done. */
  get size(): number {
    return this.#carried.size
  }

  /** A client has come. */
  add(client: Socket): void {
    this.#clients.add(client)
    client.once('close', () => {
      this.#clients.delete(client)
      if (this.#carried.delete(client)) {
        this.#changed()
      }
    })
  }

  /** It has begun to speak. */
  begin(client: Socket): void {
    this.#carried.add(client)
    this.#changed()
  }

  /** Somebody answers it over this stream. */
  join(stream: Duplex): void {
    this.#streams.add(stream)
    stream.once('close', () => this.#streams.delete(stream))
  }

  /** Has all streams look whether they are alive. */
  probe(): void {
    this.#streams.forEach(probe)
  }

  /** Ends all of them. */
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
