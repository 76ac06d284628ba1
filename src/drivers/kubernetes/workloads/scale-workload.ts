import type { AnyComponentName } from '../../../control-plane/plane/plane.ts'
import type { HostApi } from '../host/host-api.ts'
import type { PlacedName } from '../context/object-names.ts'
import { setKept } from './set-kept.ts'
import type { PlaneRecord } from '../record/plane-record.ts'
import { replicasOf, scaledTo, wantedReplicas, workloadPath } from '../observed/workloads.ts'

/** Of the keeper, lets it do the duties of the plane. Never removes pods of etcd: `applyMembers` removes their members first. */
export async function scaleWorkload(
  api: Pick<HostApi, 'get' | 'patch'>,
  record: PlaneRecord,
  {
    component,
    place,
    signal,
  }: { place: PlacedName; component: AnyComponentName; signal: AbortSignal },
): Promise<void> {
  if (component === 'keeper') {
    return setKept(api, place, { kept: 'true', signal })
  }
  const path = workloadPath(place, component)
  const replicas = replicasOf(record, component)
  const found = await api.get(path, { signal })
  const present = found === undefined ? replicas : wantedReplicas(found)
  if (component === 'etcd' ? present < replicas : present !== replicas) {
    await api.patch(path, scaledTo(replicas), { type: 'merge', signal })
  }
}
