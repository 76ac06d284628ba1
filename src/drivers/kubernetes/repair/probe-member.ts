import type { MemberStatus } from '../../../etcd/status/member-status.ts'
import { statusInMetrics } from '../../../etcd/status/member-metrics.ts'
import { ETCD_PORTS } from '../../../manifests/ports.ts'
import { getOver } from '../../../shared/network/get-over.ts'
import type { Host } from '../context/context.ts'

/** How long a member may take to give its metrics, in milliseconds. */
const LOOK_MS = 5000

/** How the member of etcd in a pod is that waits for a leader; undefined when it does not, or gives no metrics in time. */
export async function probeMember(
  { forward }: Pick<Host, 'forward'>,
  place: { namespace: string; pod: string },
  signal: AbortSignal,
): Promise<MemberStatus | undefined> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(LOOK_MS)])
  try {
    const stream = await forward({ ...place, port: ETCD_PORTS.metrics }, { signal: limit })
    const page = await getOver(stream, { path: '/metrics', host: place.pod, signal: limit })
    return page === undefined ? undefined : statusInMetrics(page)
  } catch {
    // That it says nothing is what is asked.
    signal.throwIfAborted()
    return undefined
  }
}
