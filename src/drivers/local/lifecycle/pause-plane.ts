import { join } from 'node:path'
import type { IdlePause, PauseOptions } from '../../../control-plane/driver/requests.ts'
import { messageOf } from '../../../shared/errors.ts'
import type { PlaneContext } from '../components/start-context.ts'
import { PAUSED_LIMITS, trimLogs } from '../logs/trim-log.ts'
import type { HeldOperation } from '../store/hold-plane.ts'
import { type PlaneRecord, unfinishedOf } from '../store/plane-record.ts'
import { stopComponents } from '../components/stop-components.ts'
import { freeLogSpace } from './free-log-space.ts'

/**
 * Records that a plane is to be paused, then ends its components, and frees disk space. Its data stays. An idle plane is not paused when it
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
  await freeSpace(context, record.name, operation)
}

/** What fails here costs space alone, so the plane is paused. */
async function freeSpace(
  { store }: PlaneContext,
  name: string,
  { ui }: HeldOperation,
): Promise<void> {
  const folder = store.folder(name)
  await trimLogs(folder, PAUSED_LIMITS)
  try {
    await freeLogSpace(join(folder.etcdData, 'member/wal'))
  } catch (error) {
    ui.warn(`the disk space that "${name}" does not use cannot be freed: ${messageOf(error)}`)
  }
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
