import { collectionPath } from '../../../shared/kube/collections.ts'
import type { HostApi } from '../host/host-api.ts'
import { componentSelector, type PlacedName } from '../context/object-names.ts'
import { isObserved, workloadPath } from '../observed/workloads.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'

/** The StatefulSet of a plane's etcd, once the host has looked at it since it was changed last, and all of its pods. */
export interface ObservedEtcd {
  statefulSet: KubeObject
  pods: KubeObject[]
}

/** How etcd of a plane is; undefined while the host has not seen the last change of its StatefulSet, or there is none. */
export async function observeEtcd(
  api: Pick<HostApi, 'get' | 'list'>,
  place: PlacedName,
  signal: AbortSignal,
): Promise<ObservedEtcd | undefined> {
  const statefulSet = await api.get(workloadPath(place, 'etcd'), { signal })
  if (statefulSet === undefined || !isObserved(statefulSet)) {
    return undefined
  }
  return { statefulSet, pods: await etcdPods(api, place, signal) }
}

/** All pods of a plane's etcd. */
export async function etcdPods(
  api: Pick<HostApi, 'list'>,
  { name, namespace }: PlacedName,
  signal: AbortSignal,
): Promise<KubeObject[]> {
  const labelSelector = componentSelector(name, 'etcd')
  const path = collectionPath('pods', namespace)
  return (await api.list(path, { labelSelector, signal })).items
}
