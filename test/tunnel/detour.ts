import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'

/** A way to another address by a port of loopback, which a test can cut and open again. */
export class Detour {
  readonly #target: { host: string; port: number }
  readonly #sockets = new Set<Socket>()
  #server: Server | undefined
  #port = 0

  constructor(target: { host: string; port: number }) {
    this.#target = target
  }

  /** Opens it, at the same port as before, and tells which. */
  async open(): Promise<number> {
    const server = createServer((near) => {
      const far = connect(this.#target)
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(one)
        one.on('error', () => {})
        one.once('close', () => {
          this.#sockets.delete(one)
          other.destroy()
        })
        one.pipe(other)
      }
    })
    await once(server.listen(this.#port, '127.0.0.1'), 'listening')
    const address = server.address()
    this.#port = typeof address === 'object' && address !== null ? address.port : 0
    this.#server = server
    return this.#port
  }

  /** Breaks everything that goes by it, and refuses what comes. */
  close(): void {
    this.#server?.close()
    this.#sockets.forEach((socket) => socket.resetAndDestroy())
  }
}
