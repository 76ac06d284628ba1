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
  /** Undefined when the plane needs a tunnel. */
  direct: () => Promise<string | undefined>
  dial: Dial
}

/** Returns the address of the user, else that of an exposed plane, else that of a tunnel. */
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

/** It ends before the idle plane pauses: so the credential plugin notices and reports that. */
function tunnelTimeOf({ spec }: Plane): number | undefined {
  return spec.idle === undefined ? undefined : parseDuration(spec.idle) / 2
}

/** Returns the address of a tunnel that outlives commands. */
export async function runningTunnel(
  tunnels: Pick<KubernetesContext['tunnels'], 'find'>,
  plane: Plane,
): Promise<{ server: string } | undefined> {
  const record = await tunnels.find(referenceOf(plane))
  return record !== undefined && (await isUp(record)) ? { server: tunnelServer(record) } : undefined
}
