import type { EndpointOptions } from '../../../control-plane/driver/endpoint-options.ts'
import { type Endpoint, type Plane, referenceOf } from '../../../control-plane/plane/plane.ts'
import { parseDuration } from '../../../shared/text/duration.ts'
import type { Dial } from '../../../tunnel/connections/dial.ts'
import { isUp, tunnelServer } from '../../../tunnel/record/is-up.ts'
import type { KubernetesContext } from '../context/context.ts'

/** How long a tunnel may take to start, including a login, in milliseconds. */
const TUNNEL_MS = 60_000

export interface EndpointSources {
  tunnels: KubernetesContext['tunnels']
  /** Returns the address of the plane without a tunnel; undefined when it needs one. */
  direct: () => Promise<string | undefined>
  dial: Dial
}

/**
 * Returns the address of a plane's API for this machine: that of the user, that of an exposed plane if it responds,
 * otherwise that of a tunnel. The tunnel outlives this process if another process will use it.
 */
export async function planeServer(
  plane: Plane,
  {
    address,
    idleTimeoutMs,
    isReadOnly = false,
    isServing,
    lasting,
    localPort,
    server,
  }: EndpointOptions,
  { dial, direct, tunnels }: EndpointSources,
): Promise<Pick<Endpoint, 'server' | 'isTransient'>> {
  const isTunnelWanted = address !== undefined || localPort !== undefined
  const reached = server ?? (isTunnelWanted ? undefined : await direct())
  if (reached !== undefined) {
    return { server: reached }
  }
  const reference = referenceOf(plane)
  if (lasting) {
    const signal = AbortSignal.timeout(TUNNEL_MS)
    const longestIdleMs = tunnelTimeOf(plane)
    const wanted = { signal, address, port: localPort, idleTimeoutMs, longestIdleMs }
    const record = await tunnels.ensure(reference, wanted)
    return { server: tunnelServer(record) }
  }
  const running = isReadOnly ? undefined : await runningTunnel(tunnels, plane)
  return running ?? { ...(await tunnels.inProcess(reference, dial, isServing)), isTransient: true }
}

/**
 * A tunnel ends before its idle plane pauses itself: without a tunnel the credential plugin checks the plane, and
 * reports that it is paused.
 */
function tunnelTimeOf({ spec }: Plane): number | undefined {
  return spec.idle === undefined ? undefined : parseDuration(spec.idle) / 2
}

/** Returns the address of a plane's running tunnel that outlives commands. */
export async function runningTunnel(
  tunnels: Pick<KubernetesContext['tunnels'], 'find'>,
  plane: Plane,
): Promise<{ server: string } | undefined> {
  const record = await tunnels.find(referenceOf(plane))
  return record !== undefined && (await isUp(record)) ? { server: tunnelServer(record) } : undefined
}
