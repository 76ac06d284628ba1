import type { MemberStatus } from '../../../etcd/status/member-status.ts'
import { statusInMetrics } from '../../../etcd/status/member-metrics.ts'
import { ETCD_PORTS } from '../../../manifests/ports.ts'
import { getOver } from '../../../shared/network/request-over.ts'
import type { Host } from '../context/context.ts'

const READ_TIMEOUT_MS = 5000

/**
 * Returns the status of a member of etcd that waits for a leader; undefined when it does not, or gives no metrics in
 * time.
 */
export async function probeMember(
  { forward }: Pick<Host, 'forward'>,
  place: { namespace: string; pod: string },
  signal: AbortSignal,
): Promise<MemberStatus | undefined> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(READ_TIMEOUT_MS)])
  try {
    const stream = await forward({ ...place, port: ETCD_PORTS.metrics }, { signal: limit })
    const page = await getOver(stream, { path: '/metrics', host: place.pod, signal: limit })
    return page === undefined ? undefined : statusInMetrics(page)
  } catch {
    // A member that does not answer has no status.
    signal.throwIfAborted()
    return undefined
  }
}
