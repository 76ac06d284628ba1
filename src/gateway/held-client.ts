import type { Socket } from 'node:net'
import { joinSockets, type UpgradedConnection } from '../shared/network/join-sockets.ts'
import type { WaitingClient } from '../manifests/gateway-records.ts'
import { MAX_HELLO_BYTES } from './client-hello.ts'
import {
  type HeldConnection,
  isOfApiServer,
  LINGER_MS,
  refuseConnection,
} from './held-connection.ts'

/** How the wait of a client has ended. */
type Outcome = 'passed' | 'refused' | 'left'

/**
 * A client that waits for its plane: until it is passed on, it leaves, or its time is over, when it is refused. What it says
 * meanwhile is read, as otherwise nobody would notice that it leaves.
 */
export class HeldClient {
  readonly client: WaitingClient
  /** Whether it is the API server itself, which wakes nothing. */
  readonly isOfApiServer: boolean
  /** Whether a connection to its plane is being opened for it. */
  isDialing = false
  readonly #connection: HeldConnection
  readonly #end = new AbortController()
  readonly #outcome = Promise.withResolvers<Outcome>()
  readonly #timer: NodeJS.Timeout

  constructor(connection: HeldConnection, { address, ms }: { address: string; ms: number }) {
    const { hello, socket } = connection
    this.client = { address, ...hello }
    this.isOfApiServer = isOfApiServer(connection)
    this.#connection = { ...connection }
    this.#timer = setTimeout(() => this.refuse(), ms)
    socket.on('data', this.#read).once('end', this.#leave).once('close', this.#leave)
    socket.resume()
  }

  /** Fulfilled when it no longer waits. */
  get outcome(): Promise<Outcome> {
    return this.#outcome.promise
  }

  /** Fires when it no longer waits. */
  get ended(): AbortSignal {
    return this.#end.signal
  }

  get socket(): Socket {
    return this.#connection.socket
  }

  /** All its bytes so far. */
  get head(): Buffer {
    return this.#connection.head
  }

  /** Joins it with its plane, to which `sent` of its bytes were sent, while it still waits. */
  pass(plane: UpgradedConnection, { sent }: { sent: number }): void {
    if (this.#release('passed')) {
      const { head, socket } = this.#connection
      socket.pause()
      joinSockets({ socket, head: head.subarray(sent) }, plane, { lingerMs: LINGER_MS })
    }
  }

  /** Ends its wait with an alert. */
  refuse(): void {
    if (this.#release('refused')) {
      refuseConnection(this.#connection)
    }
  }

  /** A client of TLS says no more than its ClientHello before it has an answer, and API servers take no early data. */
  readonly #read = (bytes: Buffer) => {
    this.#connection.head = Buffer.concat([this.#connection.head, bytes])
    if (this.#connection.head.length > MAX_HELLO_BYTES) {
      this.#leave()
    }
  }

  readonly #leave = () => {
    if (this.#release('left')) {
      this.#connection.socket.destroy()
    }
  }

  #release(outcome: Outcome): boolean {
    if (this.#end.signal.aborted) {
      return false
    }
    clearTimeout(this.#timer)
    this.#connection.socket
      .off('data', this.#read)
      .off('end', this.#leave)
      .off('close', this.#leave)
    this.#end.abort()
    this.#outcome.resolve(outcome)
    return true
  }
}
