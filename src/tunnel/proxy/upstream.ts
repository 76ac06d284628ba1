import { Agent } from 'node:https'
import type { Access } from '../../control-plane/use-cases/access/access.ts'
import { isDue } from '../../control-plane/use-cases/access/credential-lifetime.ts'

/** A plane's address and the proxy's credential there; without `expiresAt`, the proxy never renews it. */
export type ProxyAccess = Pick<Access, 'server' | 'certificateAuthority' | 'certificate' | 'key'> &
  Partial<Pick<Access, 'expiresAt'>>

interface UpstreamOptions {
  access: ProxyAccess
  renew: () => Promise<ProxyAccess>
  now: () => Date
}

/** Connections to a plane with one credential. */
interface Connections {
  server: URL
  /** Reuses connections. */
  agent: Agent
  /** Never reuses connections. */
  single: Agent
}

/**
 * The connections of a proxy to its plane. A proxy may run longer than its credential is valid: it then opens new
 * connections with a new credential, and open connections stay.
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

  /** @throws {VplaneError} what `renew` throws, once the credential has expired. */
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
    // Running requests keep their connections, which are not reused.
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
