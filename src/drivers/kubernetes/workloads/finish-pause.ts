import type { Operation } from '../../../control-plane/driver/operation.ts'
import { stoppedByPause } from '../../../control-plane/plane/runs-while-paused.ts'
import type { HostApi } from '../host/host-api.ts'
import type { Journal } from '../record/journal.ts'
import type { PlacedName } from '../context/object-names.ts'
import { stopComponents } from './stop-components.ts'
import { wantedReplicas, workloadPath } from '../observed/workloads.ts'

/**
 * Takes the pods away that a pause which was cut off has left; does nothing where none is wanted any more. Whoever calls
 * holds the plane.
 *
 * @throws {VplaneError} `TIMED_OUT` when a pod does not end.
 */
export async function finishPause(
  api: HostApi,
  journal: Pick<Journal, 'record' | 'step'>,
  { operation, place }: { operation: Operation; place: PlacedName },
): Promise<void> {
  const { spec } = journal.record
  const components = stoppedByPause(spec)
  const workloads = await Promise.all(
    components.map((one) => api.get(workloadPath(place, one), { signal: operation.signal })),
  )
  if (workloads.some((found) => found !== undefined && wantedReplicas(found) > 0)) {
    await stopComponents(api, journal, { place, components, operation })
  }
}
