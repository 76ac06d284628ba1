import { hintsToContinue } from '../../../control-plane/operations/unfinished.ts'
import type {
  OperationStatus,
  PlanePhase,
  PlaneStatus,
} from '../../../control-plane/status/plane-status.ts'
import type { PlacedName } from '../context/object-names.ts'
import type { HostApi } from '../host/host-api.ts'
import { isHeld } from '../record/plane-lease.ts'
import { type JournalEntry, type UnfinishedFields, unfinishedOf } from '../record/plane-record.ts'

/** Returns the operation that is under way on a plane, or was interrupted. Duties of keepers do not count. */
export async function operationStatus(
  api: Pick<HostApi, 'get'>,
  place: PlacedName,
  { now, record, signal }: { record: UnfinishedFields; now: Date; signal: AbortSignal },
): Promise<OperationStatus | undefined> {
  const { journal } = record
  if (journal === undefined || journal.operation === 'maintain') {
    return undefined
  }
  const { at, holder, operation: kind, since = at, step } = journal
  const isInterrupted = !(await isHeld(api, { ...place, now }, signal))
  const reference = { driver: 'kubernetes', ...place } as const
  const hints = isInterrupted ? hintsToContinue(reference, journal, unfinishedOf(record)) : []
  return { kind, step, since: new Date(since), at: new Date(at), holder, isInterrupted, hints }
}

const CHANGING: ReadonlyArray<OperationStatus['kind']> = [
  'change',
  'rotate',
  'repair',
  'restore',
  'move',
] satisfies Array<JournalEntry['operation']>
const RUNNING: readonly PlanePhase[] = ['Starting', 'Ready', 'NotReady']

/** Returns the status of a plane during an operation, which replaces its pods one after the other. */
export function duringOperation(
  status: PlaneStatus,
  operation: OperationStatus | undefined,
): PlaneStatus {
  const isChanging = operation?.isInterrupted === false && CHANGING.includes(operation.kind)
  return isChanging && RUNNING.includes(status.phase)
    ? { ...status, phase: 'Changing', reason: status.reason ?? operation.step }
    : status
}
