import { type AnyComponentName, componentsOf } from '../../../control-plane/plane/plane.ts'
import { ownStoreOf } from '../../../control-plane/store/store.ts'
import { collectionPath } from '../../../shared/kube/collections.ts'
import type { HostApi } from '../host/host-api.ts'
import { KEEPER_SELECTOR, type PlacedName, planeSelector } from '../context/object-names.ts'
import { componentOf } from '../host/workload.ts'
import { replicasOf, wantedReplicas } from './workloads.ts'
import type { PlaneRecord } from '../record/plane-record.ts'
import { isReadyPod, type ObservedPlane } from './observed-plane.ts'

/** Whether every component of a running plane has its workload with the recorded replicas, and a ready pod. */
export function isAsWanted(record: PlaneRecord, { pods, workload }: ObservedPlane): boolean {
  return componentsOf(record.spec).every((component) => {
    const found = workload(component)
    const live = found === undefined ? 0 : wantedReplicas(found)
    const wanted = replicasOf(record, component)
    // etcd may have more pods than the record says until a change removes their members.
    const isCount = component === 'etcd' ? live >= wanted : live === wanted
    return found !== undefined && isCount && pods(component).some(isReadyPod)
  })
}

/** Whether every member of etcd, or kine, is ready, and therefore has data. In an etcd elsewhere, kube-apiserver has written some. */
export function areMembersComplete(record: PlaneRecord, { pods }: ObservedPlane): boolean {
  const component = ownStoreOf(record.spec) ?? 'kube-apiserver'
  return pods(component).filter(isReadyPod).length >= replicasOf(record, component)
}

interface ReadyOptions extends PlacedName {
  components: readonly AnyComponentName[]
  signal: AbortSignal
}

/** Whether each of some components has a ready pod. Sends one request, and another one for the keeper. */
export async function areReady(
  api: Pick<HostApi, 'list'>,
  { components, name, namespace, signal }: ReadyOptions,
): Promise<boolean> {
  const selectors = [
    planeSelector(name),
    ...(components.includes('keeper') ? [KEEPER_SELECTOR] : []),
  ]
  const path = collectionPath('pods', namespace)
  const lists = await Promise.all(
    selectors.map((labelSelector) => api.list(path, { labelSelector, signal })),
  )
  const pods = lists.flatMap(({ items }) => items)
  const ready = new Set(pods.filter(isReadyPod).map(componentOf))
  return components.every((component) => ready.has(component))
}
