import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { execa } from 'execa'
import {
  bumpAbove,
  restoreArguments,
} from '../../../control-plane/components/arguments/restore-arguments.ts'
import type { Operation } from '../../../control-plane/driver/operation.ts'
import type { RestoreRequest } from '../../../control-plane/driver/requests.ts'
import { compactTime } from '../../../shared/text/compact-time.ts'
import { messageOf, VplaneError } from '../../../shared/errors.ts'
import { latestRevision } from '../../../etcd/status/member-status.ts'
import { localLayout } from '../components/local-layout.ts'
import type { StartContext } from '../components/start-context.ts'
import { startPlane } from '../lifecycle/start-plane.ts'
import { stopComponents } from '../components/stop-components.ts'
import type { PlaneFolder } from '../store/plane-folder.ts'
import { type PlaneRecord, toRunning } from '../store/plane-record.ts'
import { localEtcd } from '../components/local-etcd.ts'

/**
 * Puts the data of a snapshot in the place of a plane's own, and starts the plane. The new data is made before anything
 * is stopped; the old data is moved aside, and removed when the plane answers. One that was cut off goes on when it is
 * called again. Whoever calls holds the plane's lock.
 *
 * @throws {VplaneError} `FAILED` when it is no snapshot, `COMPONENT_FAILED` when the plane does not start of it.
 */
export async function restorePlane(
  context: StartContext,
  record: PlaneRecord,
  { operation, ...request }: RestoreRequest & { operation: Operation },
): Promise<void> {
  const { store, table } = context
  const folder = store.folder(record.name)
  operation.ui.step('Making its data of the snapshot')
  const revisionFloor = bumpAbove(record.revisionFloor ?? 0, request.revision)
  await makeData(context, record, { operation, bump: revisionFloor, file: request.file })
  // Who was cut off has moved the old data there already, and what lies in its place is not that.
  const restoring = record.restoring ?? {
    former: `etcd-before-${compactTime(context.now())}`,
    keepFormer: request.keepFormer,
  }
  const held = await store.update({ ...toRunning(record), restoring, revisionFloor })
  await stopComponents({ folder, table }, operation)
  const former = join(folder.root, basename(restoring.former))
  await swap(folder, former)
  const settle = async ({ restoring: _done, ...restored }: PlaneRecord) => {
    const connect = () => localEtcd(record.name, { folder, table })
    const { signal } = operation
    const latest = await latestRevision(connect, { known: revisionFloor, signal })
    return await store.update({ ...restored, hasData: true, revisionFloor: latest })
  }
  let sound = held
  if (request.untilSound !== undefined) {
    const checked = await startPlane(context, held, { operation, wait: true, only: 'etcd' })
    await request.untilSound()
    sound = await settle(checked)
  }
  const started = await startPlane(context, sound, { operation, wait: true })
  await request.untilAnswers()
  await settle(started)
  if (restoring.keepFormer) {
    operation.ui.note(`The data that it had is kept in ${former}`)
  } else {
    await rm(former, { recursive: true, force: true })
  }
}

async function makeData(
  context: StartContext,
  record: PlaneRecord,
  { bump, file, operation }: { bump: number; file: string; operation: Operation },
): Promise<void> {
  const folder = context.store.folder(record.name)
  const binary = await context.findEtcdutl(record, operation)
  await rm(folder.restoredData, { recursive: true, force: true })
  const { etcd } = localLayout(record, folder)
  const args = restoreArguments({ etcd, file, bump, dataFolder: folder.restoredData })
  const result = await execa(binary, args, {
    env: { PATH: context.environment['PATH'] },
    extendEnv: false,
    stdin: 'ignore',
    reject: false,
    cancelSignal: operation.signal,
  })
  operation.signal.throwIfAborted()
  if (result.failed) {
    const [said = messageOf(result)] = result.stderr.trim().split('\n').slice(-1)
    throw new VplaneError('FAILED', `etcdutl cannot restore "${file}": ${said}`, { cause: result })
  }
}

/** Both steps are one each: whatever is cut off between them, the old data is whole under one of its names. */
async function swap(folder: PlaneFolder, former: string): Promise<void> {
  if (existsSync(former)) {
    await rm(folder.etcdData, { recursive: true, force: true })
  } else if (existsSync(folder.etcdData)) {
    await rename(folder.etcdData, former)
  }
  await rename(folder.restoredData, folder.etcdData)
}
