import { VplaneError } from '../../../shared/errors.ts'
import type { PlanStep } from '../../../shared/plan-step.ts'
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
import { waitForAccess } from '../access/access.ts'
import { agreeTo } from '../change/agree-to.ts'
import type { RestoreDependencies } from '../restore/restore-control-plane.ts'
import { deleteTransferred } from './delete-transferred.ts'
import { findArrival, findMove, type FoundMove, isOutOfReach } from './find-move.ts'
import type { MoveOptions } from './move-control-plane.ts'
import { placeOf } from '../../plane/plane-words.ts'

export interface AbortResult {
  from: PlaneReference
  to: PlaneReference
  steps: PlanStep[]
  /** False in a dry run. */
  isAborted: boolean
  /** What could not be removed from the new place, and why. */
  leftovers: Leftover[]
}

/**
 * Aborts a move of a plane as long as nothing was written at its new place: stops and removes the plane there, removes
 * the fence, and returns when the plane can be used again at its old place, or is paused there as before.
 * @throws {VplaneError} `NOT_FOUND` without a move, `FAILED` when someone may have written at the new place.
 */
export async function abortMove(
  deps: RestoreDependencies,
  options: Omit<MoveOptions, 'keepSource'>,
): Promise<AbortResult> {
  const { isConfirmed, isDryRun, signal, timeoutMs } = options
  const { ui } = deps
  const move = await findMove(deps, { ...options, ignoresForbidden: true })
  const { driver, plane } = move.source
  const { arrival, target, to } = move
  const isFenced = plane.movingTo !== undefined
  if (!isFenced && arrival === undefined) {
    throw new VplaneError('NOT_FOUND', `no move of "${plane.name}" to ${placeOf(to)} was started`)
  }
  const wasPaused = plane.movingTo?.wasPaused === true
  const isHandedOver = plane.movingTo?.handedTo !== undefined
  if (isHandedOver && arrival === undefined) {
    // Whether it was used at its new place cannot be checked.
    throw replacedBy(plane, to)
  }
  const there = { place: placeOf(to) }
  const back = wasPaused ? 'leave-paused' : 'start-again'
  const steps: PlanStep[] = [
    ...(isHandedOver ? [{ action: 'stop-unless-used', ...there } as const] : []),
    ...(arrival === undefined ? [] : [{ action: 'delete-arrival', ...there } as const]),
    ...(isFenced ? [{ action: back, place: placeOf(plane) } as const] : []),
  ]
  const result = { from: referenceOf(plane), to, steps }
  const proposal = {
    steps,
    question: `Abort the move of "${plane.name}"?`,
    refusal: `the move of "${plane.name}" was not aborted`,
  }
  if (!(await agreeTo(ui, { ...proposal, isConfirmed, isDryRun }))) {
    return { ...result, isAborted: false, leftovers: [] }
  }
  const operation = { ui, signal, timeoutMs }
  const leftovers: Leftover[] = []
  const undo = async () => {
    try {
      // Found again while the plane is locked: another vplane may have created it meanwhile.
      const created = (await findArrival(notHandedOver(plane), move)).arrival
      if (created !== undefined) {
        leftovers.push(...(await target.driver.remove(created, operation)))
      }
    } catch (error) {
      if (!isOutOfReach(error)) {
        throw error
      }
      // It was not handed over, so it never starts there.
      leftovers.push({ what: `the plane at its new place: ${placeOf(to)}`, why: error.message })
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

/** Makes sure that the plane at its new place is still only a copy, which no client can write to. */
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
