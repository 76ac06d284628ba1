import type { IdlePause, PauseOptions } from '../../../control-plane/driver/requests.ts'
import type { PlaneContext } from '../components/start-context.ts'
import type { HeldOperation } from '../store/hold-plane.ts'
import { type PlaneRecord, unfinishedOf } from '../store/plane-record.ts'
import { stopComponents } from '../components/stop-components.ts'

/**
 * Records that a plane is to be paused, then ends its components. Its data stays. An idle plane is not paused when it
 * was used meanwhile, or when a create, change or restore of it is unfinished.
 */
export async function pausePlane(
  context: PlaneContext,
  record: PlaneRecord,
  { idle, ...operation }: HeldOperation & PauseOptions,
): Promise<void> {
  if (idle !== undefined && !(await isToPause(record, idle))) {
    return
  }
  await operation.begin?.('stopping')
  const { idleSince: _before, ...rest } = record
  const idleSince = idle && { idleSince: idle.since.toISOString() }
  await context.store.update({ ...rest, ...idleSince, desired: 'paused' })
  await stopComponents(context, record.name, operation)
}

async function isToPause(record: PlaneRecord, { isStill }: IdlePause): Promise<boolean> {
  const { desired, idleSince } = record
  if (desired !== 'running') {
    // An interrupted pause of an idle plane continues.
    return idleSince !== undefined
  }
  const isSettled = unfinishedOf(record).every(({ kind }) => kind === 'other')
  return isSettled && (await isStill())
}
