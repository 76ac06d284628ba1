import { collectionPath } from '../../../shared/kube/collections.ts'
import type { HostApi } from '../host/host-api.ts'
import { componentSelector, type PlacedName } from '../context/object-names.ts'
import { isObserved, workloadPath } from '../observed/workloads.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'

/**
 * Reads the StatefulSet and the pods of a plane's etcd; undefined while the host has not observed the last change of the
 * StatefulSet, or it does not exist.
 */
export async function observeEtcd(
  api: Pick<HostApi, 'get' | 'list'>,
  place: PlacedName,
  signal: AbortSignal,
): Promise<{ statefulSet: KubeObject; pods: KubeObject[] } | undefined> {
  const statefulSet = await api.get(workloadPath(place, 'etcd'), { signal })
  if (statefulSet === undefined || !isObserved(statefulSet)) {
    return undefined
  }
  return { statefulSet, pods: await etcdPods(api, place, signal) }
}

/** Lists the pods of a plane's etcd. */
export async function etcdPods(
  api: Pick<HostApi, 'list'>,
  { name, namespace }: PlacedName,
  signal: AbortSignal,
): Promise<KubeObject[]> {
  const labelSelector = componentSelector(name, 'etcd')
  const path = collectionPath('pods', namespace)
  return (await api.list(path, { labelSelector, signal })).items
}
