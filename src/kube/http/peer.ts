import { type Agents, createAgents } from './agents.ts'
import type { Credential, CredentialSource, KubeConnection, Patience } from '../connection.ts'
import { VplaneError } from '../../shared/errors.ts'
import { packageVersion } from '../../shared/package-root.ts'

/** The agents and headers for a request with one credential. */
export interface Approach extends Agents {
  headers: Readonly<Record<string, string | string[]>>
  credential: Credential
}

/** An API server, and all connections to it. */
export interface Peer extends AsyncDisposable {
  /** The server, as errors show it. */
  readonly server: string
  readonly address: { isPlain: boolean; host: string; port: number; path: string }
  readonly patience: Patience
  /** Fires when the peer is disposed. */
  readonly closed: AbortSignal
  /** The agents and headers for the next request, with the current credential. */
  approach(): Promise<Approach>
  /** Called after a 401. Returns whether to retry. */
  renew(approach: Approach): Promise<boolean>
  /** The error for a 401 after retries. */
  denial(refusal: VplaneError): VplaneError
}

/** Connects, reads and runs nothing before the first request. */
export function createPeer(connection: KubeConnection, patience: Patience): Peer {
  const closing = new AbortController()
  const identities = new Identities(connection, patience, closing.signal)
  const source = connection.credentials ?? fixed(connection)
  const common = { 'user-agent': `vplane/${packageVersion()}`, ...connection.headers }
  return {
    server: connection.server,
    address: addressOf(connection.server),
    patience,
    closed: closing.signal,
    approach: async () => {
      identities.forgetIdle()
      const credential = await source.current()
      const { authorization } = credential
      const headers = authorization === undefined ? common : { ...common, authorization }
      return { ...identities.agentsFor(credential), headers, credential }
    },
    renew: ({ credential }) => source.renew(credential),
    denial: (refusal) => source.denial(refusal),
    [Symbol.asyncDispose]: () => {
      closing.abort(new VplaneError('ABORTED', `the client of ${connection.server} was closed`))
      identities.destroy()
      return Promise.resolve()
    },
  }
}

function addressOf(server: string): Peer['address'] {
  const { hostname, pathname, port, protocol } = new URL(server)
  const isPlain = protocol === 'http:'
  return {
    isPlain,
    host: hostname.replaceAll(/^\[|\]$/g, ''),
    port: port === '' ? (isPlain ? 80 : 443) : Number(port),
    path: pathname.replace(/\/$/, ''),
  }
}

function fixed({ certificate, key, token }: KubeConnection): CredentialSource {
  const authorization = token === undefined ? undefined : `Bearer ${token}`
  const credential = { certificate, key, authorization }
  return {
    current: () => Promise.resolve(credential),
    renew: () => Promise.resolve(false),
    denial: (refusal) => refusal,
  }
}

/** The agents of the current TLS identity; former ones are retained until their last request has ended. */
class Identities {
  readonly #connection: KubeConnection
  readonly #patience: Patience
  readonly #closed: AbortSignal
  readonly #all = new Set<Agents>()
  #present: { credential: Credential; agents: Agents } | undefined
  #usedAt = Date.now()

  constructor(connection: KubeConnection, patience: Patience, closed: AbortSignal) {
    this.#connection = connection
    this.#patience = patience
    this.#closed = closed
  }

  agentsFor(credential: Credential): Agents {
    if (this.#present === undefined || !isSameIdentity(this.#present.credential, credential)) {
      this.#forgetUnused()
      const connection = this.#connection
      const options = { connection, patience: this.#patience, closed: this.#closed }
      this.#present = { credential, agents: createAgents(credential, options) }
      this.#all.add(this.#present.agents)
    }
    return this.#present.agents
  }

  /** Closes connections that were idle while the machine slept: the server may have closed them. */
  forgetIdle(): void {
    const now = Date.now()
    if (now - this.#usedAt > this.#patience.idleMs) {
      const idle = Object.values(this.#present?.agents.keepAlive.freeSockets ?? {})
      idle.forEach((sockets) => sockets?.forEach((socket) => socket.destroy()))
    }
    this.#usedAt = now
  }

  #forgetUnused(): void {
    for (const agents of this.#all) {
      const inUse = [agents.keepAlive, agents.fresh].some(
        ({ sockets }) => Object.keys(sockets).length > 0,
      )
      if (!inUse) {
        agents.keepAlive.destroy()
        this.#all.delete(agents)
      }
    }
  }

  destroy(): void {
    for (const { fresh, keepAlive } of this.#all) {
      keepAlive.destroy()
      fresh.destroy()
    }
  }
}

function isSameIdentity(one: Credential, other: Credential): boolean {
  const fields = ['certificate', 'key', 'certificateAuthority'] as const
  return fields.every((field) => one[field] === other[field])
}
