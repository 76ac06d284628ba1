import { componentPods } from '../observed/ready-pod.ts'
import type { HostApi } from '../host/host-api.ts'
import type { PlacedName } from '../context/object-names.ts'
import { isObserved, workloadPath } from '../observed/workloads.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'

/** Reads etcd's StatefulSet and pods; undefined without one, or while the host has not observed its last change. */
export async function observeEtcd(
  api: Pick<HostApi, 'get' | 'list'>,
  place: PlacedName,
  signal: AbortSignal,
): Promise<{ statefulSet: KubeObject; pods: KubeObject[] } | undefined> {
  const statefulSet = await api.get(workloadPath(place, 'etcd'), { signal })
  if (statefulSet === undefined || !isObserved(statefulSet)) {
    return undefined
  }
  return { statefulSet, pods: await componentPods(api, { ...place, component: 'etcd' }, signal) }
}
