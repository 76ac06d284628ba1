import { Agent } from 'node:https'
import type { Access } from '../../control-plane/use-cases/access/access.ts'
import { isDue } from '../../control-plane/use-cases/access/credential-lifetime.ts'

/** Where a plane is, and as whom the proxy speaks there. Without `expiresAt` the credential is used as long as the proxy. */
export type ProxyAccess = Pick<Access, 'server' | 'certificateAuthority' | 'certificate' | 'key'> &
  Partial<Pick<Access, 'expiresAt'>>

export interface UpstreamOptions {
  access: ProxyAccess
  /** Gets another credential when most of the life of this one is over. */
  renew: () => Promise<ProxyAccess>
  now: () => Date
}

/** Connections to a plane with one credential. */
export interface Connections {
  server: URL
  /** Uses connections again. */
  agent: Agent
  /** Opens connections that are never used again. */
  single: Agent
}

/**
 * The connections of a proxy to its plane. A proxy may run for longer than a credential lives: new connections are
 * opened with a new one then, and those that are open stay.
 */
export class Upstream implements Disposable {
  readonly #options: UpstreamOptions
  #expiresAt: Date | undefined
  #connections: Connections
  #renewal: Promise<void> | undefined

  constructor(options: UpstreamOptions) {
    this.#options = options
    this.#expiresAt = options.access.expiresAt
    this.#connections = connectionsOf(options.access)
  }

  /**
   * The connections for a request that comes now.
   *
   * @throws {VplaneError} what `renew` throws, once the credential has expired.
   */
  async current(): Promise<Connections> {
    const expiresAt = this.#expiresAt
    const now = this.#options.now()
    if (expiresAt !== undefined && isDue({ expiresAt }, now)) {
      this.#renewal ??= this.#renew().finally(() => (this.#renewal = undefined))
      await (now < expiresAt ? this.#renewal.catch(() => {}) : this.#renewal)
    }
    return this.#connections
  }

  [Symbol.dispose](): void {
    this.#connections.agent.destroy()
    this.#connections.single.destroy()
  }

  async #renew(): Promise<void> {
    const access = await this.#options.renew()
    const { agent } = this.#connections
    this.#expiresAt = access.expiresAt
    this.#connections = connectionsOf(access)
    // Requests that are under way end on their connections; none is used again.
    agent.maxFreeSockets = 0
    Object.values(agent.freeSockets).forEach((sockets) =>
      sockets?.forEach((socket) => socket.destroy()),
    )
  }
}

function connectionsOf(access: ProxyAccess): Connections {
  const { certificate: cert, certificateAuthority: ca, key, server } = access
  const options = { ca, cert, key, rejectUnauthorized: true }
  return {
    server: new URL(server),
    agent: new Agent({ ...options, keepAlive: true }),
    single: new Agent(options),
  }
}
