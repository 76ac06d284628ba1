import {
  duringOperation,
  operationStatus,
} from '../../../control-plane/operations/operation-status.ts'
import type { StatusOptions } from '../../../control-plane/driver/driver.ts'
import type { Plane } from '../../../control-plane/plane/plane.ts'
import { needsKeeper } from '../../../control-plane/spec/needs-keeper.ts'
import type { PlaneStatus } from '../../../control-plane/status/plane-status.ts'
import { isVplaneError, messageOf } from '../../../shared/errors.ts'
import { omitUndefined } from '../../../shared/omit-undefined.ts'
import type { StartContext } from '../components/start-context.ts'
import { maintainPlane } from '../lifecycle/maintain-plane.ts'
import { currentRecord } from '../store/current-record.ts'
import { unfinishedOf } from '../store/plane-record.ts'
import { readEvents } from './keeper-status.ts'
import { planeStatus } from './plane-status.ts'

/**
 * The status of a plane, which a status also maintains. What prevents it from being read is a status too.
 *
 * @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND` when it was deleted meanwhile.
 */
export async function readStatus(
  context: StartContext,
  plane: Plane,
  options: StatusOptions = {},
): Promise<PlaneStatus> {
  const { now, store } = context
  try {
    const record = await currentRecord(store, plane)
    const expiry = await maintainPlane(context, record)
    const account = { journal: record.journal, unfinished: unfinishedOf(record) }
    const [status, operation] = await Promise.all([
      planeStatus(context, record, expiry),
      operationStatus(plane, account, () => store.isHeld(plane.name)),
    ])
    const hasEvents = options.events === true && needsKeeper(record.spec)
    const events = hasEvents ? readEvents(store.folder(plane.name), now()) : undefined
    return { ...duringOperation(status, operation), ...omitUndefined({ operation, events }) }
  } catch (error) {
    if (isVplaneError(error, 'CONTROL_PLANE_NOT_FOUND')) {
      throw error
    }
    return { phase: 'NotReady', reason: messageOf(error), components: [] }
  }
}
