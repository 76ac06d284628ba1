import type { EndpointOptions } from '../../../control-plane/driver/endpoint-options.ts'
import {
  type Endpoint,
  isExposed,
  type Plane,
  referenceOf,
} from '../../../control-plane/plane/plane.ts'
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
import { DirectAccess } from './direct-access.ts'
import { directServers, inClusterServer, observedReads, ungatedServer } from './direct-servers.ts'
import type { ObservedPlane } from '../observed/observed-plane.ts'

type AccessContext = Pick<KubernetesContext, 'host' | 'tunnels'>
type AccessTunnels = NonNullable<KubernetesContext['tunnels']>

/**
 * How long an exposed address may refuse connections before a tunnel is started, in milliseconds: a host leads to a plane
 * a little later than it is ready.
 */
const GRACE_MS = 10_000

/** How long a tunnel may take to start, including a login, in milliseconds. */
const TUNNEL_MS = 60_000

/** Finds and caches the addresses of planes. */
export class PlaneAccess {
  readonly #context: AccessContext
  readonly #authorities = new Map<Plane['id'], string>()
  readonly #direct = new DirectAccess()
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
    const isTried = server === undefined && !isTunnelWanted && isExposed(plane)
    const hasGrace = isTried && lasting && (await runningTunnel(tunnels, plane)) === undefined
    const graceMs = hasGrace ? GRACE_MS : 0
    const search = { api: host.api, certificateAuthority, graceMs, signal }
    const known = server ?? (isTried ? await this.#direct.find(plane, search) : undefined)
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
    const [tunnel, exposed] = await Promise.all([
      tunnels && runningTunnel(tunnels, plane),
      directServers(plane.spec.host?.expose, observedReads(observed)),
    ])
    const known = [
      this.#direct.knownOf(plane),
      tunnel?.server,
      this.#inside.get(plane.id),
      exposed[0],
    ]
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
