import { isEndingWithin } from '../../../control-plane/status/certificate-ends.ts'
import { RENEW_WITHIN_MS } from '../../../pki/issue/lifetimes.ts'
import type { KubernetesContext } from '../context/context.ts'
import type { HostApi } from '../host/host-api.ts'
import type { PlacedName } from '../context/object-names.ts'
import type { PlaneRecord } from '../record/plane-record.ts'
import { areMembersComplete } from '../observed/is-as-wanted.ts'
import type { ObservedPlane } from '../observed/observed-plane.ts'
import { isUnfinished } from '../record/journal.ts'
import { directServers } from '../access/direct-servers.ts'

export interface MaintainOptions {
  place: PlacedName
  record: PlaneRecord
  look: ObservedPlane
  signal: AbortSignal
}

/** Addresses of these come when the plane is there: of a load balancer, of the nodes where its pods are. */
const LATE = ['load-balancer', 'node-port']

/**
 * Does for a plane what nobody else would do while nothing of ours runs in the host cluster: notes that etcd has stored
 * something, makes the API's certificate valid for the addresses that the host gave it, and renews certificates in their
 * last 90 days. Called by whatever looks at the plane; what cannot be done
 * now, as without the right to, is left to the next look.
 */
export async function maintainPlane(
  { now }: Pick<KubernetesContext, 'now'>,
  api: HostApi,
  { look, place, record, signal }: MaintainOptions,
): Promise<void> {
  const { desired, isComplete, movingTo, restoring } = record
  const isAway = desired === 'kept' || restoring !== undefined || movingTo !== undefined
  // What was begun is for the command that began it to go on with.
  if (!isComplete || isAway || isUnfinished(record)) {
    return
  }
  const options = { place, id: record.id, now }
  // What there is to do is loaded only then: most looks find nothing.
  try {
    if (!record.hasData && areMembersComplete(record, look)) {
      const { markData } = await import('../workloads/mark-data.ts')
      await markData(api, options, signal)
    }
    if (record.desired === 'running') {
      const addresses = await unnamedAddresses(api, place, { record, signal })
      if (addresses.length > 0) {
        const { nameServer } = await import('./name-server.ts')
        await nameServer(api, options, { addresses, signal })
      }
      if (isDue(record, now())) {
        const { renewPlane } = await import('./renew-plane.ts')
        await renewPlane(api, options, signal)
      }
    }
  } catch {
    // The status that is asked for shows when they end.
  }
}

/** The addresses that the host gave to an exposed plane since the certificate of its API was made. */
export async function unnamedAddresses(
  api: HostApi,
  place: PlacedName,
  { record, signal }: { record: PlaneRecord; signal: AbortSignal },
): Promise<string[]> {
  const { serverAddresses = [], spec } = record
  if (!LATE.includes(spec.host?.expose.type ?? 'none')) {
    return []
  }
  const named = [...serverAddresses, spec.host?.expose.host, ...spec.extraSans]
  const servers = await directServers(api, place, { spec, signal })
  return servers
    .map((server) => new URL(server).hostname.replaceAll(/^\[|\]$/g, ''))
    .filter((address) => !named.includes(address))
}

function isDue({ certificatesExpireAt }: PlaneRecord, now: Date): boolean {
  const end = certificatesExpireAt === undefined ? undefined : new Date(certificatesExpireAt)
  return isEndingWithin(RENEW_WITHIN_MS, end, now)
}
