import { rm } from 'node:fs/promises'
import type { RestoreRequest } from '../../../control-plane/driver/requests.ts'
import { omitUndefined } from '../../../shared/omit-undefined.ts'
import { isSystemError, isVplaneError, VplaneError } from '../../../shared/errors.ts'
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
import type { DataPlace } from './data-place.ts'
import type { PreparedData } from './prepare-data.ts'

export interface ReplaceRequest extends Omit<RestoreRequest, 'file'>, PreparedData {
  place: DataPlace
  operation: HeldOperation
}

/**
 * Replaces the data of a plane by that which was prepared beside it, and starts the plane, as `restorePlane` does.
 * @throws {VplaneError} `FAILED` when the data is not that of the snapshot, or its place refuses it. The plane has its former
 * data again then, if it had any.
 */
export async function replaceData(
  context: StartContext,
  record: PlaneRecord,
  { expected, operation, place, revisionFloor, ...request }: ReplaceRequest,
): Promise<void> {
  const { store } = context
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
  const giveUp = async (problem: string, hint: string, from: Omit<Back, 'record'>) => {
    const isBack = await goBack(context, { record, place, operation, ...from })
    const message = isBack ? `${problem}; it has its former data again` : problem
    return new VplaneError('FAILED', message, { hints: [hint] })
  }
  try {
    await place.exchange(former)
  } catch (error) {
    operation.signal.throwIfAborted()
    if (!isRefusal(error)) {
      throw error
    }
    const when = isSystemError(error.cause) ? 'the file can be written' : 'the server accepts it'
    const from = { current: held, isExchanged: false }
    throw await giveUp(error.message, `run the command again when ${when}`, from)
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
        const from = { current: checked, isExchanged: true }
        throw await giveUp(problem, 'run the command again', from)
      }
    }
    await request.untilSound?.()
    // The caller has taken the data over. Otherwise the restore is to be continued if the API does not start.
    sound = request.untilSound === undefined ? checked : await settle(checked)
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
  return isVplaneError(error, 'FAILED')
}

interface Back {
  /** The plane before the restore. */
  record: PlaneRecord
  current: PlaneRecord
  /** Its current data is the new data. Otherwise it is the former data, unless that was set aside. */
  isExchanged: boolean
}

/** Gives the plane its former data and state again: no client has seen the new data. Returns false if it had none. */
async function goBack(
  context: StartContext,
  {
    current,
    isExchanged,
    operation,
    place,
    record,
  }: Back & Pick<ReplaceRequest, 'operation' | 'place'>,
): Promise<boolean> {
  const { former = '' } = current.restoring ?? {}
  operation.ui.step('Putting the former data back')
  await stopComponents(context, record.name, operation)
  // A shared etcd leaves it there when it refuses a key.
  await rm(context.store.folder(record.name).restoredData, { recursive: true, force: true })
  if (!record.hasData || (!(await place.putBack(former)) && isExchanged)) {
    return false
  }
  const { desired, idleSince, neverStarted } = record
  const { formerData: _former, restoring: _ended, ...fields } = current
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
