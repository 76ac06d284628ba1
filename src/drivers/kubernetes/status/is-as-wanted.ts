import { COMPONENT_NAMES } from '../../../control-plane/plane.ts'
import { COMPONENT_LABEL } from '../../../manifests/object-names.ts'
import { collectionPath } from '../collections.ts'
import type { HostApi } from '../host-api.ts'
import { type PlacedName, planeSelector } from '../object-names.ts'
import { replicasOf, wantedReplicas } from '../start/workloads.ts'
import type { PlaneRecord } from '../store/plane-record.ts'
import { isReadyPod, type PlaneLook } from './look.ts'

/** Whether every component of a plane that is to run has its workload as it was made, and a pod that is ready. */
export function isAsWanted({ spec }: PlaneRecord, { pods, workload }: PlaneLook): boolean {
  return COMPONENT_NAMES.every((component) => {
    const found = workload(component)
    return (
      found !== undefined &&
      wantedReplicas(found) === replicasOf(spec, component) &&
      pods(component).some(isReadyPod)
    )
  })
}

/** Whether every component of a plane has a pod that is ready, found out with one request. */
export async function isEveryComponentReady(
  api: Pick<HostApi, 'list'>,
  { name, namespace }: PlacedName,
  signal: AbortSignal,
): Promise<boolean> {
  const labelSelector = planeSelector(name)
  const { items } = await api.list(collectionPath('pods', namespace), { labelSelector, signal })
  const ready = new Set(
    items.filter(isReadyPod).map(({ metadata }) => metadata.labels?.[COMPONENT_LABEL]),
  )
  return COMPONENT_NAMES.every((component) => ready.has(component))
}
