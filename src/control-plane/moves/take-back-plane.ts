import { compactTime } from '../../shared/text/compact-time.ts'
import type { TakeBackRequest } from '../driver/plane-moves.ts'
import { isSameData } from '../plane/data-fingerprint.ts'
import type { MovablePlane } from './movable-plane.ts'

/**
 * Stops a plane, and has it wait for data again, if it only has the data that was handed over. It compares the data
 * before, so that it does not stop a plane in use, and after, when nobody can write. Returns false for an unchanged
 * plane: it has other data, or is not to run.
 *
 * @throws {VplaneError} `COMPONENT_FAILED` or `TIMED_OUT` when its etcd does not run.
 */
export async function takeBackPlane(
  held: MovablePlane,
  { handed, movingFrom }: TakeBackRequest,
  now: () => Date,
): Promise<boolean> {
  const { desired, movingTo, restoring } = held.record
  if (restoring?.movingFrom === movingFrom) {
    return true
  }
  if (desired !== 'running' || movingTo !== undefined || restoring !== undefined) {
    return false
  }
  const hasOnlyHanded = async () => isSameData(handed, await held.fingerprint())
  await held.startEtcd()
  if (!(await hasOnlyHanded())) {
    return false
  }
  await held.stopOthers()
  if (await hasOnlyHanded()) {
    const former = `etcd-before-${compactTime(now())}`
    await held.step('waiting for its data', {
      desired: 'paused',
      restoring: { former, movingFrom },
    })
    return true
  }
  await held.start()
  return false
}
