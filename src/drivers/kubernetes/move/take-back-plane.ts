import { isSameData } from '../../../control-plane/plane/data-fingerprint.ts'
import { componentsOf } from '../../../control-plane/plane/plane.ts'
import type { TakeBackRequest } from '../../../control-plane/driver/plane-moves.ts'
import { dataFingerprint } from '../../../etcd/data/data-fingerprint.ts'
import { compactTime } from '../../../shared/text/compact-time.ts'
import type { KubernetesContext, PlaneOperation } from '../context/context.ts'
import { hostedEtcd } from '../etcd/hosted-etcd.ts'
import { waitForEtcd } from '../etcd/wait-for-etcd.ts'
import { holdPlane } from '../record/hold-plane.ts'
import { repairPlane } from '../maintain/repair-plane.ts'
import { scaleWorkload } from '../workloads/scale-workload.ts'
import { stopComponents } from '../workloads/stop-components.ts'

/**
 * Stops all components of a plane except etcd, which then waits for data again. Returns false when the plane is paused,
 * or has other data than was handed over: then it is unchanged. Checks its data before, so that it does not stop a
 * plane in use, and again when no client can write any more.
 */
export async function takeBackPlane(
  context: KubernetesContext,
  { handed, id, movingFrom, operation, place }: TakeBackRequest & PlaneOperation,
): Promise<boolean> {
  const host = await context.host()
  const { api } = host
  const { now } = context
  const { signal } = operation
  await using held = await holdPlane(host, { place, id, operation: 'restore', now }, operation)
  const { journal } = held
  const { desired, movingTo, restoring, spec } = journal.record
  if (restoring?.movingFrom === movingFrom) {
    return true
  }
  if (desired !== 'running' || movingTo !== undefined || restoring !== undefined) {
    return false
  }
  const isUnchanged = async () =>
    isSameData(handed, await dataFingerprint(await hostedEtcd(host, place, signal), signal))
  await scaleWorkload(api, journal.record, { place, component: 'etcd', signal })
  await waitForEtcd(context, host, { place, id, operation })
  if (!(await isUnchanged())) {
    return false
  }
  const components = componentsOf(spec).filter((component) => component !== 'etcd')
  await stopComponents(api, journal, { place, components, operation })
  if (await isUnchanged()) {
    const former = `etcd-before-${compactTime(now())}`
    await journal.finish({ desired: 'paused', restoring: { former, movingFrom } })
    return true
  }
  await repairPlane(api, journal, { place, now, signal })
  await journal.finish()
  return false
}
