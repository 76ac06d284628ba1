import type { OperationStatus } from '../../../control-plane/status/plane-status.ts'
import type { PlacedName } from '../context/object-names.ts'
import type { HostApi } from '../host/host-api.ts'
import { isUnfinished } from '../record/journal.ts'
import { isHeld } from '../record/plane-lease.ts'
import type { PlaneRecord } from '../record/plane-record.ts'

/** Returns the operation that is under way on a plane, or was interrupted. Duties of keepers do not count. */
export async function operationStatus(
  api: Pick<HostApi, 'get'>,
  place: PlacedName,
  { now, record, signal }: { record: Pick<PlaneRecord, 'journal'>; now: Date; signal: AbortSignal },
): Promise<OperationStatus | undefined> {
  const { journal } = record
  if (journal === undefined || !isUnfinished(record)) {
    return undefined
  }
  const { at, holder, operation: kind, step } = journal
  const isInterrupted = !(await isHeld(api, { ...place, now }, signal))
  return { kind, step, at: new Date(at), holder, isInterrupted }
}
