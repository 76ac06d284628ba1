import { isSameData } from '../../../control-plane/plane/data-fingerprint.ts'
import type { TakeBackRequest } from '../../../control-plane/driver/plane-moves.ts'
import { dataFingerprint } from '../../../etcd/data/data-fingerprint.ts'
import { compactTime } from '../../../shared/text/compact-time.ts'
import { localEtcd } from '../components/local-etcd.ts'
import type { StartContext } from '../components/start-context.ts'
import { startPlane } from '../lifecycle/start-plane.ts'
import { stopComponents } from '../components/stop-components.ts'
import type { HeldOperation } from '../store/hold-plane.ts'
import type { PlaneRecord } from '../store/plane-record.ts'

/**
 * Stops a plane, and has it wait for data again, if it only has the data that was handed over. It compares the data
 * before, so that it does not stop a plane in use, and after, when nobody can write. Returns false for an unchanged
 * plane: it has other data, or is not to run. The caller holds the plane's lock.
 *
 * @throws {VplaneError} `COMPONENT_FAILED` when its etcd does not run.
 */
export async function takeBackPlane(
  context: StartContext,
  record: PlaneRecord,
  { handed, movingFrom, operation }: TakeBackRequest & { operation: HeldOperation },
): Promise<boolean> {
  const { desired, movingTo, name, restoring } = record
  if (restoring?.movingFrom === movingFrom) {
    return true
  }
  if (desired !== 'running' || movingTo !== undefined || restoring !== undefined) {
    return false
  }
  const hasOnlyHanded = async () => {
    const etcd = await localEtcd(context, name)
    return isSameData(handed, await dataFingerprint(etcd, operation.signal))
  }
  await context.findBinaries(record, operation)
  const onlyEtcd = { operation, wait: true, only: 'etcd' } as const
  const readable = await startPlane(context, record, onlyEtcd)
  if (!(await hasOnlyHanded())) {
    return false
  }
  await stopComponents(context, name, operation)
  const stopped = await startPlane(context, readable, onlyEtcd)
  if (await hasOnlyHanded()) {
    const former = `etcd-before-${compactTime(context.now())}`
    await context.store.update({
      ...stopped,
      desired: 'paused',
      restoring: { former, keepFormer: false, movingFrom },
    })
    await stopComponents(context, name, operation)
    return true
  }
  await startPlane(context, stopped, { operation, wait: true })
  return false
}
