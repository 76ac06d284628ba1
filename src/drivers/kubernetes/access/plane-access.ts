import { connect } from 'node:tls'
import type { EndpointOptions } from '../../../control-plane/driver/endpoint-options.ts'
import { type Endpoint, type Plane, referenceOf } from '../../../control-plane/plane/plane.ts'
import type { PlaneStatus } from '../../../control-plane/status/plane-status.ts'
import { VplaneError } from '../../../shared/errors.ts'
import { parseDuration } from '../../../shared/text/duration.ts'
import { timeLimit } from '../../../shared/wait.ts'
import { isUp, tunnelServer } from '../../../tunnel/record/is-up.ts'
import type { Host, KubernetesContext } from '../context/context.ts'
import { podDialer } from '../dial/pod-dialer.ts'
import { readPlane } from '../record/hold-plane.ts'
import type { PlaneRecord } from '../record/plane-record.ts'
import { toPlace } from '../context/object-names.ts'
import {
  directServers,
  inClusterServer,
  observedReads,
  serverReads,
  ungatedServer,
} from './direct-servers.ts'
import type { ObservedPlane } from '../observed/observed-plane.ts'

type AccessContext = Pick<KubernetesContext, 'host' | 'tunnels'>
type AccessTunnels = NonNullable<KubernetesContext['tunnels']>

/** How long a server may take to accept a connection, in milliseconds; one behind a firewall never does. */
const CONNECT_MS = 1500

/** How long the TLS handshake may take then, in milliseconds: a gateway holds it for up to 9 s while a plane wakes. */
const HANDSHAKE_MS = 10_000

/** How long a tunnel may take to start, including a login, in milliseconds. */
const TUNNEL_MS = 60_000

/** Finds and caches the addresses of planes. */
export class PlaneAccess {
  readonly #context: AccessContext
  readonly #authorities = new Map<Plane['id'], string>()
  readonly #direct = new Map<Plane['id'], Promise<string | undefined>>()
  readonly #inside = new Map<Plane['id'], string>()

  constructor(context: AccessContext) {
    this.#context = context
  }

  /** Caches the CA in a record that was read for another reason. */
  know({ certificateAuthority, id }: PlaneRecord): void {
    if (certificateAuthority !== undefined) {
      this.#authorities.set(id, certificateAuthority)
    }
  }

  /** Returns the user's address, else that of an exposed plane, else that of a tunnel. */
  async endpoint(plane: Plane, options: EndpointOptions, signal: AbortSignal): Promise<Endpoint> {
    const host = await this.#context.host()
    const certificateAuthority = await this.#authorityOf(plane, signal)
    const { address, lasting, localPort, server } = options
    const { tunnels } = this.#context
    if (tunnels === undefined) {
      return { server: server ?? ungatedServer(toPlace(plane).place), certificateAuthority }
    }
    const isTunnelWanted = address !== undefined || localPort !== undefined
    const known =
      server ??
      (isTunnelWanted ? undefined : await this.#directTo(plane, certificateAuthority, signal))
    if (known !== undefined) {
      return { server: known, certificateAuthority }
    }
    const tunnel = await (lasting
      ? lastingTunnel(tunnels, plane, options)
      : this.#tunnel(plane, options, { host, tunnels }))
    return { ...tunnel, certificateAuthority }
  }

  /** Prefers a running tunnel to one of this process. */
  async #tunnel(
    plane: Plane,
    { isReadOnly = false, isServing }: EndpointOptions,
    { host, tunnels }: { host: Host; tunnels: AccessTunnels },
  ): Promise<Pick<Endpoint, 'server' | 'isTransient'>> {
    const running = isReadOnly ? undefined : await runningTunnel(tunnels, plane)
    if (running !== undefined) {
      return running
    }
    const { api } = host
    const forward: Host['forward'] = (target, opening) => host.forward(target, opening)
    const dial = podDialer({ api, forward, ...toPlace(plane).place })
    const opened = await tunnels.inProcess(referenceOf(plane), dial, isServing)
    this.#inside.set(plane.id, opened.server)
    return { ...opened, isTransient: true }
  }

  /** Returns the address of an observed plane's API without starting a tunnel; with `events` all addresses. */
  async describe(
    plane: Plane,
    { events = false, observed }: { events?: boolean; observed: ObservedPlane },
  ): Promise<Pick<PlaneStatus, 'server' | 'endpoints'>> {
    const { place } = toPlace(plane)
    const { tunnels } = this.#context
    const [direct, tunnel, exposed] = await Promise.all([
      this.#direct.get(plane.id),
      tunnels && runningTunnel(tunnels, plane),
      directServers(plane.spec.host?.expose, observedReads(observed)),
    ])
    const known = [direct, tunnel?.server, this.#inside.get(plane.id), exposed[0]]
    const server = known.find((one) => one !== undefined) ?? inClusterServer(place)
    const all = [inClusterServer(place), ...exposed, tunnel?.server]
    return {
      server,
      ...(events ? { endpoints: [...new Set(all.filter((one) => one !== undefined))] } : {}),
    }
  }

  async #authorityOf(plane: Plane, signal: AbortSignal): Promise<string> {
    const known = this.#authorities.get(plane.id)
    if (known !== undefined) {
      return known
    }
    const { api } = await this.#context.host()
    const { record } = await readPlane(api, toPlace(plane), signal)
    if (record.certificateAuthority === undefined) {
      throw new VplaneError(
        'FAILED',
        `"${plane.name}" is not finished: it has no certificates yet`,
        { hints: [{ action: 'create', plane: { name: plane.name } }] },
      )
    }
    this.know(record)
    return record.certificateAuthority
  }

  /** Tries the addresses only once for each plane, and again after a failure to read them. */
  async #directTo(plane: Plane, ca: string, signal: AbortSignal): Promise<string | undefined> {
    const known = this.#direct.get(plane.id) ?? this.#tryDirect(plane, ca, signal)
    this.#direct.set(plane.id, known)
    try {
      return await known
    } catch (error) {
      this.#direct.delete(plane.id)
      throw error
    }
  }

  async #tryDirect(plane: Plane, ca: string, signal: AbortSignal): Promise<string | undefined> {
    const { api } = await this.#context.host()
    const { expose } = plane.spec.host ?? {}
    const servers = await directServers(expose, serverReads(api, toPlace(plane).place, signal))
    const tried = await Promise.all(servers.map((server) => answers(server, ca)))
    return servers.find((_, index) => tried[index])
  }
}

async function lastingTunnel(
  tunnels: AccessTunnels,
  plane: Plane,
  { address, idleTimeoutMs, localPort }: EndpointOptions,
): Promise<Pick<Endpoint, 'server'>> {
  // It ends before the idle plane pauses: so the credential plugin notices and reports that.
  const { idle } = plane.spec
  const record = await tunnels.ensure(referenceOf(plane), {
    signal: timeLimit(TUNNEL_MS, `the tunnel of "${plane.name}"`),
    address,
    port: localPort,
    idleTimeoutMs,
    longestIdleMs: idle === undefined ? undefined : parseDuration(idle) / 2,
  })
  return { server: tunnelServer(record) }
}

/** Returns the address of a tunnel that outlives commands. */
async function runningTunnel(
  tunnels: Pick<AccessTunnels, 'find'>,
  plane: Plane,
): Promise<{ server: string } | undefined> {
  const record = await tunnels.find(referenceOf(plane))
  return record !== undefined && (await isUp(record)) ? { server: tunnelServer(record) } : undefined
}

/** Whether a server can be reached from this machine, and has a certificate of the CA. */
export function answers(
  server: string,
  certificateAuthority: string,
  handshakeMs = HANDSHAKE_MS,
): Promise<boolean> {
  const { hostname, port } = new URL(server)
  const host = hostname.replaceAll(/^\[|\]$/g, '')
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = connect({
    host,
    port: port === '' ? 443 : Number(port),
    ca: certificateAuthority,
    servername: /^[\d.]+$|:/.test(host) ? '' : host,
    rejectUnauthorized: true,
    timeout: CONNECT_MS,
  })
  socket.once('connect', () => socket.setTimeout(handshakeMs))
  const end = (isReached: boolean) => {
    socket.destroy()
    resolve(isReached)
  }
  socket.once('secureConnect', () => end(socket.authorized))
  socket.once('timeout', () => end(false))
  socket.once('error', () => end(false))
  return promise
}
