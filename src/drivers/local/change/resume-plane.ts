import type { StartContext } from '../components/start-context.ts'
import { startPlane } from '../lifecycle/start-plane.ts'
import type { HeldOperation } from '../store/hold-plane.ts'
import { isHalfChanged, type PlaneRecord, toRunning, toStarting } from '../store/plane-record.ts'
import { finishChange } from './change-plane.ts'

/**
 * Starts a plane, and finishes a change of it that was interrupted. The caller holds the plane's lock.
 *
 * @throws {VplaneError} as `startPlane` does.
 */
export async function resumePlane(
  context: StartContext,
  record: PlaneRecord,
  operation: HeldOperation,
): Promise<void> {
  const { store } = context
  const wanted = record.desired === 'running' ? record : await store.update(toStarting(record))
  const started = isHalfChanged(record)
    ? await finishChange(context, wanted, operation)
    : await startPlane(context, wanted, { operation, wait: true })
  await (started.idleSince !== undefined && store.update(toRunning(started)))
}
