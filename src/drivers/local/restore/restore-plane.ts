import type { RestoreRequest } from '../../../control-plane/driver/requests.ts'
import { omitUndefined } from '../../../shared/omit-undefined.ts'
import { VplaneError } from '../../../shared/errors.ts'
import { ownStoreOf } from '../../../control-plane/store/store.ts'
import { dataDifference } from '../../../data/data-difference.ts'
import { dropFormer } from '../../../data/drop-former.ts'
import { currentRevision } from '../../../etcd/data/read-keys.ts'
import { latestRevision } from '../../../etcd/status/member-status.ts'
import type { StartContext } from '../components/start-context.ts'
import { startPlane } from '../lifecycle/start-plane.ts'
import { stopComponents } from '../components/stop-components.ts'
import type { HeldOperation } from '../store/hold-plane.ts'
import { type PlaneRecord, toRunning } from '../store/plane-record.ts'
import { localEtcd } from '../components/local-etcd.ts'
import { type DataPlace, dataPlaceOf } from './data-place.ts'
import { prepareData } from './prepare-data.ts'

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
  if (record.formerData !== undefined && record.restoring === undefined) {
    await place.dropFormer(record.formerData)
  }
  operation.ui.step('Loading the snapshot')
  const { expected, revisionFloor } = await prepareData(context, record, { ...request, operation })
  // An interrupted restore may have moved the old data already; then the current data is not the old data.
  const restoring = {
    former: place.formerNameAt(context.now()),
    keepFormer: request.keepFormer,
    ...record.restoring,
    from: request.from,
  }
  await operation.begin?.('stopping')
  const { former, keepFormer } = restoring
  const formerData = keepFormer ? undefined : former
  const held = await store.update({ ...toRunning(record), restoring, revisionFloor, formerData })
  await stopComponents(context, record.name, operation)
  const giveUp = async (problem: string, hint: string, checked: PlaneRecord) => {
    const isBack = await goBack(context, { record, checked, place, operation })
    const message = isBack ? `${problem}; it has its former data again` : problem
    return new VplaneError('FAILED', message, { hints: [hint] })
  }
  try {
    await place.exchange(former)
  } catch (error) {
    operation.signal.throwIfAborted()
    throw isRefusal(error)
      ? await giveUp(error.message, 'run the command again when the server accepts it', held)
      : error
  }
  const settle = async ({ restoring: _done, ...restored }: PlaneRecord) => {
    const connect = () => localEtcd(context, record.name)
    const { signal } = operation
    const read = ownStoreOf(record.spec) === 'etcd' ? undefined : currentRevision
    const latest = await latestRevision(connect, { known: revisionFloor, read, signal })
    return await store.update({ ...restored, hasData: true, revisionFloor: latest })
  }
  let sound = held
  if (request.untilSound !== undefined || expected !== undefined) {
    const checked = await startPlane(context, held, { operation, wait: true, only: 'store' })
    if (expected !== undefined) {
      operation.ui.step('Verifying the data')
      const { signal } = operation
      const connection = await localEtcd(context, record.name)
      const problem = await dataDifference(connection, record, { expected, signal })
      if (problem !== undefined) {
        throw await giveUp(problem, 'run the command again', checked)
      }
    }
    await request.untilSound?.()
    sound = await settle(checked)
  }
  const started = await startPlane(context, sound, { operation, wait: true })
  await request.untilAnswers()
  const restored = await settle(started)
  if (keepFormer) {
    operation.ui.note(`Its former data is retained in ${place.describe(former)}`)
  } else {
    const isDropped = await dropFormer(place, former, operation)
    await store.update({ ...restored, formerData: isDropped ? undefined : former })
  }
}

/** A server refuses what does not fit into it; one that cannot be reached may take it later. */
function isRefusal(error: unknown): error is VplaneError {
  return error instanceof VplaneError && error.code === 'FAILED'
}

/** Gives the plane its former data and state again: no client has seen the new data. Returns false if it had none. */
async function goBack(
  context: StartContext,
  {
    checked,
    operation,
    place,
    record,
  }: { record: PlaneRecord; checked: PlaneRecord; place: DataPlace; operation: HeldOperation },
): Promise<boolean> {
  const { former = '' } = checked.restoring ?? {}
  operation.ui.step('Putting the former data back')
  await stopComponents(context, record.name, operation)
  if (!record.hasData || !(await place.putBack(former))) {
    return false
  }
  const { desired, idleSince, neverStarted } = record
  const { formerData: _former, restoring: _ended, ...fields } = checked
  const back = await context.store.update({
    ...fields,
    desired,
    ...omitUndefined({ idleSince, neverStarted }),
  })
  if (desired === 'running') {
    await startPlane(context, back, { operation, wait: true })
  }
  return true
}
