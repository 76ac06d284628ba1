import type { Operation } from '../../../control-plane/driver/operation.ts'
import type { IdlePause, PauseOptions } from '../../../control-plane/driver/requests.ts'
import type { ProcessTable } from '../../../shared/processes/process-table.ts'
import type { PlaneRecord } from '../store/plane-record.ts'
import type { PlaneStore } from '../store/plane-store.ts'
import { stopComponents } from '../components/stop-components.ts'

/**
 * Records that a plane is to rest, then ends its components, the last to start first. Its data stays. One that pauses
 * itself is left alone when it was used meanwhile, or somebody is not done with it.
 */
export async function pausePlane(
  { store, table }: { store: PlaneStore; table: ProcessTable },
  record: PlaneRecord,
  { idle, ...operation }: Operation & PauseOptions,
): Promise<void> {
  if (idle !== undefined && !(await isToPause(record, idle))) {
    return
  }
  const { idleSince: _before, ...rest } = record
  const idleSince = idle && { idleSince: idle.since.toISOString() }
  await store.update({ ...rest, ...idleSince, desired: 'paused' })
  await stopComponents({ folder: store.folder(record.name), table }, operation)
}

/** One that began to pause itself goes on with that. */
async function isToPause(
  { desired, idleSince, isBootstrapped, restoring }: PlaneRecord,
  { isStill }: IdlePause,
): Promise<boolean> {
  if (desired !== 'running') {
    return idleSince !== undefined
  }
  return isBootstrapped && restoring === undefined && (await isStill())
}
