import type { PlacedName } from '../../drivers/kubernetes/context/object-names.ts'
import { lockPath } from '../../drivers/kubernetes/namespace/inventory.ts'
import type { KubeClient } from '../../kube/client/client.ts'
import { LEASE_TIMES } from '../../kube/lease/lease-object.ts'
import { isAbandoned } from '../../kube/lease/wait-for-free-lease.ts'

/** Whether someone who changes a plane holds its Lease. */
export async function isHeld(
  { host, now }: { host: Pick<KubeClient, 'get'>; now: () => Date },
  place: PlacedName,
  signal: AbortSignal,
): Promise<boolean> {
  const lease = await host.get(lockPath(place), { signal })
  return (
    lease !== undefined && !isAbandoned(lease, { isDead: () => false, now, times: LEASE_TIMES })
  )
}
