import { VplaneError } from '../../../shared/errors.ts'
import type { Leftover } from '../../driver/driver.ts'
import type { Operation } from '../../driver/operation.ts'
import { replacedBy } from '../../plane/fence.ts'
import {
  asRunning,
  type Plane,
  type PlaneMove,
  type PlaneReference,
  referenceOf,
} from '../../plane/plane.ts'
import { moveOf } from '../../driver/plane-moves.ts'
import { type AccessDependencies, waitForAccess } from '../access/access.ts'
import { agreeTo, numbered } from '../change/agree-to.ts'
import type { SnapshotDependencies } from '../snapshot/create-snapshot.ts'
import { deleteTransferred } from './delete-transferred.ts'
import { findArrival, findMove, type FoundMove, isOutOfReach } from './find-move.ts'
import type { MoveOptions } from './move-control-plane.ts'
import { placeOf } from '../../plane/plane-words.ts'

export type AbortDependencies = AccessDependencies & SnapshotDependencies

export interface AbortResult {
  from: PlaneReference
  to: PlaneReference
  /** What is done, in its order. */
  steps: string[]
  /** False when it was only to be said. */
  isAborted: boolean
  /** What is still where it was to go, and why. */
  leftovers: Leftover[]
}

/**
 * Ends a move of a plane as long as nothing was written where it goes: stops and removes what there is of it there, takes
 * its fence away, and returns when it can be used again where it was, or is paused there as it was before.
 *
 * @throws {VplaneError} `NOT_FOUND` when no move was begun, `FAILED` when somebody may have written where it went,
 * `ABORTED` after a no, `USAGE` when nobody can be asked, and what `findMove`, the drivers and `waitForAccess` throw.
 */
export async function abortMove(
  deps: AbortDependencies,
  options: Omit<MoveOptions, 'keepSource'>,
): Promise<AbortResult> {
  const { isConfirmed, isDryRun, signal, timeoutMs } = options
  const { ui } = deps
  const move = await findMove(deps, { ...options, isBlindFine: true })
  const { driver, plane } = move.source
  const { arrival, target, to } = move
  const isFenced = plane.movingTo !== undefined
  if (!isFenced && arrival === undefined) {
    throw new VplaneError('NOT_FOUND', `no move of "${plane.name}" to ${placeOf(to)} was begun`)
  }
  const wasPaused = plane.movingTo?.wasPaused === true
  const isHandedOver = plane.movingTo?.handedTo !== undefined
  if (isHandedOver && arrival === undefined) {
    // It cannot be looked at there.
    throw replacedBy(plane, to)
  }
  const steps = [
    ...(isHandedOver ? [`stop it, unless it was used there: ${placeOf(to)}`] : []),
    ...(arrival === undefined ? [] : [`remove what there is of it: ${placeOf(to)}`]),
    ...(isFenced
      ? [`${wasPaused ? 'leave it paused' : 'start it'} where it was: ${placeOf(plane)}`]
      : []),
  ]
  const result = { from: referenceOf(plane), to, steps }
  const proposal = {
    lines: numbered(steps),
    question: `End the move of "${plane.name}"?`,
    refusal: `the move of "${plane.name}" was left as it is`,
  }
  if (!(await agreeTo(ui, { ...proposal, isConfirmed, isDryRun }))) {
    return { ...result, isAborted: false, leftovers: [] }
  }
  const operation = { ui, signal, timeoutMs }
  const leftovers: Leftover[] = []
  const undo = async () => {
    try {
      // Looked up while the plane is held: another vplane may have made it meanwhile.
      const there = (await findArrival(notHandedOver(plane), move)).arrival
      leftovers.push(...(there === undefined ? [] : await target.driver.remove(there, operation)))
    } catch (error) {
      if (!isOutOfReach(error)) {
        throw error
      }
      // It was never handed over, so that it never starts by itself either.
      leftovers.push({ what: `what there is of it: ${placeOf(to)}`, why: error.message })
    }
  }
  const takeBack = (how: PlaneMove) => takeBackFrom(move, how, operation)
  await driver.moves.return(plane, { takeBack, undo }, operation)
  await deleteTransferred(deps, { plane, signal })
  if (isFenced && !wasPaused) {
    await waitForAccess(deps, { driver, plane: asRunning(plane), timeoutMs, signal })
  }
  return { ...result, isAborted: true, leftovers }
}

/** Makes sure that what it was handed over to is no more than a copy of it, which nobody writes into. */
async function takeBackFrom(
  { arrival, source: { plane }, target, to }: FoundMove,
  { handed, handedTo }: PlaneMove,
  operation: Operation,
): Promise<void> {
  const isFree =
    arrival !== undefined &&
    arrival.id === handedTo &&
    handed !== undefined &&
    (await target.driver.moves.takeBack(arrival, { movingFrom: plane.id, handed }, operation))
  if (!isFree) {
    throw replacedBy(plane, to)
  }
}

function notHandedOver({ movingTo, ...plane }: Plane): Plane {
  return movingTo === undefined
    ? plane
    : { ...plane, movingTo: moveOf({ ...plane, movingTo }, movingTo.to) }
}
