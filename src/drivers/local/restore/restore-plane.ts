import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { execa } from 'execa'
import {
  revisionAbove,
  restoreArguments,
} from '../../../control-plane/components/arguments/restore-arguments.ts'
import type { Operation } from '../../../control-plane/driver/operation.ts'
import type { RestoreRequest } from '../../../control-plane/driver/requests.ts'
import { compactTime } from '../../../shared/text/compact-time.ts'
import { messageOf, VplaneError } from '../../../shared/errors.ts'
import { snapshotRevision } from '../../../etcd/data/snapshot-revision.ts'
import { latestRevision } from '../../../etcd/status/member-status.ts'
import { localLayout } from '../components/local-layout.ts'
import type { StartContext } from '../components/start-context.ts'
import { startPlane } from '../lifecycle/start-plane.ts'
import { stopComponents } from '../components/stop-components.ts'
import type { PlaneFolder } from '../store/plane-folder.ts'
import type { HeldOperation } from '../store/hold-plane.ts'
import { type PlaneRecord, toRunning } from '../store/plane-record.ts'
import { localEtcd } from '../components/local-etcd.ts'

/**
 * Replaces the data of a plane with that of a snapshot, and starts the plane. It creates the new data before it stops
 * anything, moves the old data aside, and removes that when the plane answers. An interrupted restore continues when it
 * is called again. The caller holds the plane's lock.
 *
 * @throws {VplaneError} `FAILED` when it is no snapshot, or a program is missing, `COMPONENT_FAILED` when the plane does
 * not start from it.
 */
export async function restorePlane(
  context: StartContext,
  record: PlaneRecord,
  { operation, ...request }: RestoreRequest & { operation: HeldOperation },
): Promise<void> {
  const { store } = context
  const folder = store.folder(record.name)
  const etcdutl = await context.findEtcdutl(record, operation)
  await context.findBinaries(record, operation)
  operation.ui.step('Loading the snapshot')
  const contained = await snapshotRevision(request.file)
  const revisionFloor = revisionAbove(record.revisionFloor ?? 0, request.revision, contained)
  const data = { etcdutl, bump: revisionFloor - contained, file: request.file }
  await createData(context, record, { ...data, operation })
  // An interrupted restore may have moved the old data already; then the current data is not the old data.
  const restoring = {
    former: `etcd-before-${compactTime(context.now())}`,
    keepFormer: request.keepFormer,
    ...record.restoring,
    from: request.from,
  }
  await operation.begin?.('stopping')
  const held = await store.update({ ...toRunning(record), restoring, revisionFloor })
  await stopComponents(context, record.name, operation)
  const former = join(folder.root, basename(restoring.former))
  await swap(folder, former)
  const settle = async ({ restoring: _done, ...restored }: PlaneRecord) => {
    const connect = () => localEtcd(context, record.name)
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
    operation.ui.note(`Its former data is retained in ${former}`)
  } else {
    await rm(former, { recursive: true, force: true })
  }
}

interface NewData {
  etcdutl: string
  /** How far its revisions continue above those of the snapshot. */
  bump: number
  file: string
}

async function createData(
  context: StartContext,
  record: PlaneRecord,
  { bump, etcdutl, file, operation }: NewData & { operation: Operation },
): Promise<void> {
  const folder = context.store.folder(record.name)
  await rm(folder.restoredData, { recursive: true, force: true })
  const { etcd } = localLayout(record, folder)
  const args = restoreArguments({ etcd, file, bump, dataFolder: folder.restoredData })
  const result = await execa(etcdutl, args, {
    env: { PATH: context.environment['PATH'] },
    extendEnv: false,
    stdin: 'ignore',
    reject: false,
    cancelSignal: operation.signal,
  })
  operation.signal.throwIfAborted()
  if (result.failed) {
    const [message = messageOf(result)] = result.stderr.trim().split('\n').slice(-1)
    const text = `etcdutl cannot restore "${file}": ${message}`
    throw new VplaneError('FAILED', text, { cause: result })
  }
}

/** Each rename is atomic: after an interruption, the old data is complete under one of its names. */
async function swap(folder: PlaneFolder, former: string): Promise<void> {
  if (existsSync(former)) {
    await rm(folder.etcdData, { recursive: true, force: true })
  } else if (existsSync(folder.etcdData)) {
    await rename(folder.etcdData, former)
  }
  await rename(folder.restoredData, folder.etcdData)
}
