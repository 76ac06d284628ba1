import type { EndpointOptions } from '../../../control-plane/driver/endpoint-options.ts'
import { type Endpoint, type Plane, referenceOf } from '../../../control-plane/plane/plane.ts'
import { parseDuration } from '../../../shared/text/duration.ts'
import type { Dial } from '../../../tunnel/connections/dial.ts'
import { isUp, tunnelServer } from '../../../tunnel/record/is-up.ts'
import type { KubernetesContext } from '../context/context.ts'

/** How long a tunnel may take to be up, in milliseconds: a login may be part of it. */
const TUNNEL_MS = 60_000

export interface EndpointSources {
  tunnels: KubernetesContext['tunnels']
  /** Where the plane can be reached without a tunnel; undefined when it cannot. */
  direct: () => Promise<string | undefined>
  dial: Dial
}

/**
 * Where a plane's API is from this machine: where the user says, directly where it is exposed and answers, otherwise
 * through a tunnel: one that outlives this process when something else will use it, one inside of it when not.
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
 * A tunnel cannot say that its plane rests, and the credential plugin looks how a plane is when there is none: so it ends
 * before its plane pauses itself.
 */
function tunnelTimeOf({ spec }: Plane): number | undefined {
  return spec.idle === undefined ? undefined : parseDuration(spec.idle) / 2
}

/** The tunnel to a plane that outlives commands, when it is up. */
export async function runningTunnel(
  tunnels: Pick<KubernetesContext['tunnels'], 'find'>,
  plane: Plane,
): Promise<{ server: string } | undefined> {
  const record = await tunnels.find(referenceOf(plane))
  return record !== undefined && (await isUp(record)) ? { server: tunnelServer(record) } : undefined
}
