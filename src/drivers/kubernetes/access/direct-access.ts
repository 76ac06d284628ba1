import { connect } from 'node:tls'
import { setTimeout as delay } from 'node:timers/promises'
import type { Plane } from '../../../control-plane/plane/plane.ts'
import { toPlace } from '../context/object-names.ts'
import type { HostApi } from '../host/host-api.ts'
import { directServers, serverReads } from './direct-servers.ts'

interface DirectSearch {
  api: Pick<HostApi, 'get' | 'list'>
  certificateAuthority: string
  /** How long refused connections are tried again, in milliseconds. @default 0 */
  graceMs?: number
  signal: AbortSignal
}

/** How long a server may take to accept a connection, in milliseconds; one behind a firewall never does. */
const CONNECT_MS = 1500

/** How long the TLS handshake may take then, in milliseconds: a gateway holds it for up to 9 s while a plane wakes. */
const HANDSHAKE_MS = 10_000

const INTERVAL_MS = 100

type Outcome = 'answers' | 'refuses' | 'is silent'

/** Finds and caches the addresses of exposed planes that can be reached from this machine. */
export class DirectAccess {
  readonly #known = new Map<Plane['id'], string>()
  readonly #silent = new Set<string>()
  readonly #handshakeMs: number

  constructor(handshakeMs = HANDSHAKE_MS) {
    this.#handshakeMs = handshakeMs
  }

  /** Returns an address that was found before. */
  knownOf({ id }: Plane): string | undefined {
    return this.#known.get(id)
  }

  /** Returns undefined when none can be reached; one that was silent is not tried again, since that takes seconds. */
  async find(
    plane: Plane,
    { api, certificateAuthority, graceMs = 0, signal }: DirectSearch,
  ): Promise<string | undefined> {
    const reads = serverReads(api, toPlace(plane).place, signal)
    const deadline = performance.now() + graceMs
    for (;;) {
      const known = this.#known.get(plane.id)
      if (known !== undefined) {
        return known
      }
      const servers = await directServers(plane.spec.host?.expose, reads)
      const outcomes = await Promise.all(
        servers.map((server) => this.#try(server, certificateAuthority)),
      )
      const found = servers.find((_, index) => outcomes[index] === 'answers')
      if (found !== undefined) {
        this.#known.set(plane.id, found)
        return found
      }
      if (!outcomes.includes('refuses') || performance.now() >= deadline) {
        return undefined
      }
      await delay(INTERVAL_MS, undefined, { signal })
    }
  }

  async #try(server: string, certificateAuthority: string): Promise<Outcome> {
    if (this.#silent.has(server)) {
      return 'is silent'
    }
    const outcome = await outcomeOf(server, certificateAuthority, this.#handshakeMs)
    if (outcome === 'is silent') {
      this.#silent.add(server)
    }
    return outcome
  }
}

/** Whether a server can be reached from this machine, and has a certificate of the CA. */
function outcomeOf(
  server: string,
  certificateAuthority: string,
  handshakeMs: number,
): Promise<Outcome> {
  const { hostname, port } = new URL(server)
  const host = hostname.replaceAll(/^\[|\]$/g, '')
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  const socket = connect({
    host,
    port: port === '' ? 443 : Number(port),
    ca: certificateAuthority,
    servername: /^[\d.]+$|:/.test(host) ? '' : host,
    rejectUnauthorized: true,
    timeout: CONNECT_MS,
  })
  socket.once('connect', () => socket.setTimeout(handshakeMs))
  const end = (outcome: Outcome) => {
    socket.destroy()
    resolve(outcome)
  }
  socket.once('secureConnect', () => end(socket.authorized ? 'answers' : 'refuses'))
  socket.once('timeout', () => end('is silent'))
  socket.once('error', () => end('refuses'))
  return promise
}
