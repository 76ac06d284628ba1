import { isEndingWithin } from '../../../control-plane/status/certificate-ends.ts'
import { RENEW_WITHIN_MS } from '../../../pki/issue/lifetimes.ts'
import type { KubernetesContext } from '../context/context.ts'
import type { HostApi } from '../host/host-api.ts'
import type { PlacedName } from '../context/object-names.ts'
import { isUnfinished, type PlaneRecord } from '../record/plane-record.ts'
import { areMembersComplete } from '../observed/is-as-wanted.ts'
import type { ObservedPlane } from '../observed/observed-plane.ts'
import { directServers, observedReads } from '../access/direct-servers.ts'

export interface MaintainOptions {
  place: PlacedName
  record: PlaneRecord
  observed: ObservedPlane
  signal: AbortSignal
}

/** The host assigns these addresses after the plane exists: that of a load balancer, those of the nodes of its pods. */
const LATE = ['load-balancer', 'node-port']

/**
 * Runs whenever the status of a plane is read, because no controller of vplane runs in the host cluster: records that
 * etcd has data, makes the API's certificate valid for the addresses that the host assigned, and renews certificates in
 * their last 90 days. What fails now, for example without the right to, is tried again with the next status.
 */
export async function maintainPlane(
  { now }: Pick<KubernetesContext, 'now'>,
  api: HostApi,
  { observed, place, record, signal }: MaintainOptions,
): Promise<void> {
  if (isUnfinished(record)) {
    return
  }
  const options = { place, id: record.id, now }
  // The code is loaded on demand, because there is rarely anything to do.
  try {
    if (!record.hasData && areMembersComplete(record, observed)) {
      const { markData } = await import('../workloads/mark-data.ts')
      await markData(api, options, signal)
    }
    if (record.desired === 'running') {
      const addresses = await unnamedAddresses(record, observed)
      if (addresses.length > 0) {
        const { nameServer } = await import('./name-server.ts')
        await nameServer(api, options, { addresses, signal })
      }
      if (isDue(record, now())) {
        const { renewPlane } = await import('./repair-plane.ts')
        await renewPlane(api, options, signal)
      }
    }
  } catch {
    // The status shows when certificates expire.
  }
}

/** The addresses of an exposed plane that its certificate does not have. */
export async function unnamedAddresses(
  { serverAddresses = [], spec }: PlaneRecord,
  observed: ObservedPlane,
): Promise<string[]> {
  if (!LATE.includes(spec.host?.expose.type ?? 'none')) {
    return []
  }
  const named = [...serverAddresses, spec.host?.expose.host, ...spec.extraSans]
  const servers = await directServers(spec.host?.expose, observedReads(observed))
  return servers
    .map((server) => new URL(server).hostname.replaceAll(/^\[|\]$/g, ''))
    .filter((address) => !named.includes(address))
}

function isDue({ certificatesExpireAt }: PlaneRecord, now: Date): boolean {
  const end = certificatesExpireAt === undefined ? undefined : new Date(certificatesExpireAt)
  return isEndingWithin(RENEW_WITHIN_MS, end, now)
}
