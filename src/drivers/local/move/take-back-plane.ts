import { isSameData } from '../../../control-plane/plane/data-fingerprint.ts'
import type { Operation } from '../../../control-plane/driver/operation.ts'
import type { TakeBackRequest } from '../../../control-plane/driver/plane-moves.ts'
import { compactTime } from '../../../shared/text/compact-time.ts'
import type { StartContext } from '../components/start-context.ts'
import { startPlane } from '../lifecycle/start-plane.ts'
import { stopComponents } from '../components/stop-components.ts'
import type { PlaneRecord } from '../store/plane-record.ts'
import { fingerprintPlane } from './fingerprint-plane.ts'

/**
 * Stops a plane, and lets it wait for data again when it has none but what was handed over to it. It is looked at before, so
 * that one that is in use is not stopped, and after, when nobody can write any more. Whoever calls holds the plane's lock.
 *
 * @returns false when it has other data, or is not to run: then it is as it was.
 * @throws {VplaneError} `COMPONENT_FAILED` when its etcd does not run.
 */
export async function takeBackPlane(
  context: StartContext,
  record: PlaneRecord,
  { handed, movingFrom, operation }: TakeBackRequest & { operation: Operation },
): Promise<boolean> {
  const { desired, movingTo, name, restoring } = record
  if (restoring?.movingFrom === movingFrom) {
    return true
  }
  if (desired !== 'running' || movingTo !== undefined || restoring !== undefined) {
    return false
  }
  const { now, store, table } = context
  const folder = store.folder(name)
  const hasWhatWasHanded = async () =>
    isSameData(handed, await fingerprintPlane(context, name, operation.signal))
  const onlyEtcd = { operation, wait: true, only: 'etcd' } as const
  const readable = await startPlane(context, record, onlyEtcd)
  if (!(await hasWhatWasHanded())) {
    return false
  }
  await stopComponents({ folder, table }, operation)
  const stopped = await startPlane(context, readable, onlyEtcd)
  if (await hasWhatWasHanded()) {
    const former = `etcd-before-${compactTime(now())}`
    await store.update({
      ...stopped,
      desired: 'paused',
      restoring: { former, keepFormer: false, movingFrom },
    })
    await stopComponents({ folder, table }, operation)
    return true
  }
  await startPlane(context, stopped, { operation, wait: true })
  return false
}
