import type { Operation } from '../../../control-plane/driver/operation.ts'
import type { CreateRequest } from '../../../control-plane/driver/requests.ts'
import { isNeverStarted } from '../../../control-plane/plane/recorded-plane.ts'
import { VplaneError } from '../../../shared/errors.ts'
import type { StartContext } from '../components/start-context.ts'
import { usableRecord } from '../store/current-record.ts'
import { recordOperation } from '../store/hold-plane.ts'
import { type PlaneRecord, toRunning } from '../store/plane-record.ts'
import { addPlane } from './add-plane.ts'

/**
 * Creates a plane and starts it, or continues that. A plane that exists and was paused stays so, unless it was never
 * started and the request does not say that it is to be paused.
 */
export async function createPlane(
  context: StartContext,
  request: CreateRequest,
  operation: Operation,
): Promise<PlaneRecord> {
  const { store } = context
  await using _lock = await store.lock(request.name, operation)
  const stored = await store.find(request.name)
  if (stored?.record instanceof VplaneError) {
    throw stored.record
  }
  const record = stored?.record ?? (await addPlane(context, request, operation))
  const staysPaused = request.isPaused === true && isNeverStarted(record)
  if (request.awaitsRestore !== undefined || staysPaused) {
    const { prepareKeys } = await import('./prepare-keys.ts')
    const { keys } = request.awaitsRestore ?? {}
    return await prepareKeys(context, record, { keys, ui: operation.ui })
  }
  if (record.desired === 'paused' && !isNeverStarted(record)) {
    return record
  }
  const usable = await usableRecord(store, record, 'start')
  const wanted = isNeverStarted(usable) ? await store.update(toRunning(usable)) : usable
  const options = { record: wanted, kind: 'create', operation } as const
  return await recordOperation(context, options, async (held) => {
    const { startPlane } = await import('./start-plane.ts')
    return startPlane(context, wanted, { operation: held, wait: request.wait })
  })
}
