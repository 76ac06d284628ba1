import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { ClientRequest } from 'node:http'
import type { Socket } from 'node:net'

/** See https://nodejs.org/api/diagnostics_channel.html#http. */
const REQUESTS = 'http.client.request.created'

/** The connections of this process's own HTTP clients, for systems that do not show whose a connection is. */
export class OwnConnections implements Disposable {
  readonly #sockets = new Set<Socket>()

  constructor() {
    subscribe(REQUESTS, this.#note)
  }

  /** Whether one of them comes from a port. */
  has(port: number): boolean {
    return [...this.#sockets].some(({ localPort }) => localPort === port)
  }

  [Symbol.dispose](): void {
    unsubscribe(REQUESTS, this.#note)
  }

  readonly #note = (message: unknown) => {
    const isRequest = typeof message === 'object' && message !== null && 'request' in message
    if (isRequest && message.request instanceof ClientRequest) {
      message.request.once('socket', (socket) => this.#add(socket))
    }
  }

  /** A connection serves many requests. */
  #add(socket: Socket): void {
    if (!this.#sockets.has(socket) && !socket.destroyed) {
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
    }
  }
}
