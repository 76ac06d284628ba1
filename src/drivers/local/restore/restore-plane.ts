import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { RestoreRequest } from '../../../control-plane/driver/requests.ts'
import { type DataFingerprint, isSameData } from '../../../control-plane/plane/data-fingerprint.ts'
import { compactTime } from '../../../shared/text/compact-time.ts'
import { VplaneError } from '../../../shared/errors.ts'
import { storeOf } from '../../../control-plane/store/store.ts'
import { fingerprintOf } from '../../../etcd/data/data-fingerprint.ts'
import { currentRevision, keysAt } from '../../../etcd/data/read-keys.ts'
import { latestRevision } from '../../../etcd/status/member-status.ts'
import { dataFolderOf } from '../components/local-layout.ts'
import type { StartContext } from '../components/start-context.ts'
import { startPlane } from '../lifecycle/start-plane.ts'
import { stopComponents } from '../components/stop-components.ts'
import type { HeldOperation } from '../store/hold-plane.ts'
import { type PlaneRecord, toRunning } from '../store/plane-record.ts'
import { localEtcd } from '../components/local-etcd.ts'
import { prepareData } from './prepare-data.ts'

/**
 * Replaces the data of a plane with that of a snapshot, and starts the plane. It creates the new data before it stops
 * anything, moves the old data aside, and removes that when the plane answers. An interrupted restore continues when it
 * is called again. The caller holds the plane's lock.
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
  const folder = store.folder(record.name)
  operation.ui.step('Loading the snapshot')
  const { expected, revisionFloor } = await prepareData(context, record, { ...request, operation })
  const current = dataFolderOf(record, folder)
  // An interrupted restore may have moved the old data already; then the current data is not the old data.
  const restoring = {
    former: `${basename(current)}-before-${compactTime(context.now())}`,
    keepFormer: request.keepFormer,
    ...record.restoring,
    from: request.from,
  }
  await operation.begin?.('stopping')
  const held = await store.update({ ...toRunning(record), restoring, revisionFloor })
  await stopComponents(context, record.name, operation)
  const former = join(folder.root, basename(restoring.former))
  await swap({ restored: folder.restoredData, current, former })
  const settle = async ({ restoring: _done, ...restored }: PlaneRecord) => {
    const connect = () => localEtcd(context, record.name)
    const { signal } = operation
    const read = storeOf(record.spec).component === 'kine' ? currentRevision : undefined
    const latest = await latestRevision(connect, { known: revisionFloor, read, signal })
    return await store.update({ ...restored, hasData: true, revisionFloor: latest })
  }
  let sound = held
  if (request.untilSound !== undefined || expected !== undefined) {
    const checked = await startPlane(context, held, { operation, wait: true, only: 'store' })
    if (expected !== undefined) {
      await refuseOther(context, record, { expected, operation })
    }
    await request.untilSound?.()
    sound = await settle(checked)
  }
  const started = await startPlane(context, sound, { operation, wait: true })
  await request.untilAnswers()
  await settle(started)
  if (restoring.keepFormer) {
    operation.ui.note(`Its former data is retained in ${former}`)
  } else {
    await rm(former, { recursive: true, force: true })
  }
}

/** Keys that expire are not compared: some of them may have done so. */
async function refuseOther(
  context: StartContext,
  { name, spec }: PlaneRecord,
  { expected, operation }: { expected: DataFingerprint; operation: HeldOperation },
): Promise<void> {
  operation.ui.step('Verifying the data')
  const { signal } = operation
  const connection = await localEtcd(context, name)
  const revision = await currentRevision(connection, signal)
  const found = await fingerprintOf(keysAt(connection, { revision, signal }))
  if (!isSameData(found, expected)) {
    const message = `${storeOf(spec).component} of "${name}" has ${found.keys} keys that are not the ${expected.keys} of the snapshot`
    throw new VplaneError('FAILED', message, { hints: ['run the command again'] })
  }
}

/** Each rename is atomic: after an interruption, the old data is complete under one of its names. */
async function swap({
  current,
  former,
  restored,
}: Record<'current' | 'former' | 'restored', string>): Promise<void> {
  if (existsSync(former)) {
    await rm(current, { recursive: true, force: true })
  } else if (existsSync(current)) {
    await rename(current, former)
  }
  await rename(restored, current)
}
