import type { PlaneReference } from '../plane/plane.ts'
import type { OperationStatus, PlanePhase, PlaneStatus } from '../status/plane-status.ts'
import type { JournaledPlane } from './journal.ts'
import { hintsToContinue, type OperationKind } from './unfinished.ts'

/**
 * Returns the operation that works on a plane, or was interrupted. Duties of keepers do not count. `isHeld` is called
 * only if there is one.
 */
export async function operationStatus(
  plane: PlaneReference,
  { journal, unfinished }: JournaledPlane,
  isHeld: () => Promise<boolean>,
): Promise<OperationStatus | undefined> {
  if (journal === undefined || journal.operation === 'maintain') {
    return undefined
  }
  const { at, holder, operation: kind, since = at, step } = journal
  const isInterrupted = !(await isHeld())
  const hints = isInterrupted ? hintsToContinue(plane, journal, unfinished) : []
  return { kind, step, since: new Date(since), at: new Date(at), holder, isInterrupted, hints }
}

const CHANGING: readonly string[] = [
  'change',
  'rotate',
  'repair',
  'restore',
  'move',
] satisfies OperationKind[]
const RUNNING: readonly PlanePhase[] = ['Starting', 'Ready', 'NotReady']

/** Returns the status of a plane during an operation, which replaces its components one after the other. */
export function duringOperation(
  status: PlaneStatus,
  operation: OperationStatus | undefined,
): PlaneStatus {
  const isChanging = operation?.isInterrupted === false && CHANGING.includes(operation.kind)
  return isChanging && RUNNING.includes(status.phase)
    ? { ...status, phase: 'Changing', reason: status.reason ?? operation.step }
    : status
}
