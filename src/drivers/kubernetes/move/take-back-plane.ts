import { isSameData } from '../../../control-plane/plane/data-fingerprint.ts'
import type { Operation } from '../../../control-plane/driver/operation.ts'
import { componentsOf } from '../../../control-plane/plane/plane.ts'
import type { TakeBackRequest } from '../../../control-plane/driver/plane-moves.ts'
import { compactTime } from '../../../shared/text/compact-time.ts'
import type { KubernetesContext } from '../context/context.ts'
import { waitForEtcd } from '../etcd/wait-for-etcd.ts'
import type { PlacedName } from '../context/object-names.ts'
import { holdPlane, refuseHalfDeleted } from '../record/hold-plane.ts'
import { repairPlane } from '../maintain/repair-plane.ts'
import { scaleWorkload } from '../workloads/scale-workload.ts'
import { stopComponents } from '../workloads/stop-components.ts'
import { fingerprintPlane } from './fingerprint-plane.ts'

export interface TakeBackOptions extends TakeBackRequest {
  place: PlacedName
  id: string
  operation: Operation
}

/**
 * Stops all of a plane but its etcd, and lets it wait for data again when it has none but what was handed over to it. It is
 * looked at before, so that one that is in use is not stopped, and after, when nobody can write any more.
 *
 * @returns false when it has other data, or is not to run: then it is as it was.
 * @throws {VplaneError} as `waitForEtcd` and `fingerprintPlane` do.
 */
export async function takeBackPlane(
  context: KubernetesContext,
  { handed, id, movingFrom, operation, place }: TakeBackOptions,
): Promise<boolean> {
  const host = await context.host()
  const { api } = host
  const { now } = context
  const { signal } = operation
  await using held = await holdPlane(host, { place, id, operation: 'move', now }, operation)
  const { journal } = held
  refuseHalfDeleted(journal.record)
  const { desired, movingTo, restoring, spec } = journal.record
  if (restoring?.movingFrom === movingFrom) {
    return true
  }
  if (desired !== 'running' || movingTo !== undefined || restoring !== undefined) {
    return false
  }
  const hasWhatWasHanded = async () =>
    isSameData(handed, await fingerprintPlane(host, place, signal))
  await scaleWorkload(api, journal.record, { place, component: 'etcd', signal })
  await waitForEtcd(context, host, { place, id, operation })
  if (!(await hasWhatWasHanded())) {
    return false
  }
  const components = componentsOf(spec).filter((component) => component !== 'etcd')
  await stopComponents(api, journal, { place, components, operation })
  if (await hasWhatWasHanded()) {
    const former = `etcd-before-${compactTime(now())}`
    await journal.finish({ desired: 'paused', restoring: { former, movingFrom } })
    return true
  }
  await repairPlane(api, journal, { place, now, signal })
  await journal.finish()
  return false
}
