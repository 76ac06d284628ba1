import type { RestoreRequest } from '../../../control-plane/driver/requests.ts'
import { dropLeftFormer } from '../../../data/drop-former.ts'
import type { StartContext } from '../components/start-context.ts'
import type { HeldOperation } from '../store/hold-plane.ts'
import type { PlaneRecord } from '../store/plane-record.ts'
import { dataPlaceOf } from './data-place.ts'
import { prepareData } from './prepare-data.ts'
import { replaceData } from './replace-data.ts'

/**
 * Replaces the data of a plane with that of a snapshot, and starts the plane. It creates the new data before it stops
 * anything, moves the old data aside, and removes that when the plane answers. An interrupted restore continues when it
 * is called again. If the store does not have the data of the snapshot then, it puts the old data back. The caller holds
 * the plane's lock.
 *
 * @throws {VplaneError} `FAILED` when it is no snapshot, a program is missing, or the store does not have the data of the
 * snapshot then, `COMPONENT_FAILED` when the plane does not start from it.
 */
export async function restorePlane(
  context: StartContext,
  record: PlaneRecord,
  { operation, ...request }: RestoreRequest & { operation: HeldOperation },
): Promise<void> {
  const { store } = context
  const place = dataPlaceOf(record, store.folder(record.name), operation.signal)
  await dropLeftFormer(place, record)
  operation.ui.step('Loading the snapshot')
  const prepared = await prepareData(context, record, { ...request, operation })
  await replaceData(context, record, { ...request, ...prepared, place, operation })
}
