import type { AnyComponentName } from '../../../control-plane/plane/plane.ts'
import type { HostApi } from '../host/host-api.ts'
import type { PlacedName } from '../context/object-names.ts'
import type { PlaneRecord } from '../record/plane-record.ts'
import { replicasOf, scaledTo, wantedReplicas, workloadPath } from '../observed/workloads.ts'

export interface ScaleWorkloadOptions {
  place: PlacedName
  component: AnyComponentName
  signal: AbortSignal
}

/**
 * Gives a workload that is there as many pods as its plane's record says. Pods of etcd are only added: `applyMembers` asks
 * etcd before it takes any away.
 */
export async function scaleWorkload(
  api: Pick<HostApi, 'get' | 'patch'>,
  record: PlaneRecord,
  { component, place, signal }: ScaleWorkloadOptions,
): Promise<void> {
  const path = workloadPath(place, component)
  const replicas = replicasOf(record, component)
  const found = await api.get(path, { signal })
  const present = found === undefined ? replicas : wantedReplicas(found)
  if (component === 'etcd' ? present < replicas : present !== replicas) {
    await api.patch(path, scaledTo(replicas), { type: 'merge', signal })
  }
}
