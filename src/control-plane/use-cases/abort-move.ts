import { VplaneError } from '../../shared/errors.ts'
import type { Ui } from '../../shared/ui.ts'
import type { Driver, Leftover } from '../driver.ts'
import { refuseHandedOver } from '../fence.ts'
import { asRunning, type PlaneReference, referenceOf } from '../plane.ts'
import { type AccessDependencies, waitForAccess } from './access.ts'
import { agreeTo } from './agree-to.ts'
import { findArrival, findMove, isOutOfReach } from './find-move.ts'
import type { MoveOptions } from './move-control-plane.ts'
import { numbered } from './numbered.ts'
import { placeOf } from './plane-words.ts'

export interface AbortDependencies extends AccessDependencies {
  drivers: readonly Driver[]
  ui: Ui
}

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
 * Ends a move of a plane that was not handed over yet: removes what there is of it where it was to go, takes its fence away,
 * and returns when it can be used again where it was.
 *
 * @throws {VplaneError} `NOT_FOUND` when no move was begun, `FAILED` when it was handed over, `ABORTED` after a no, `USAGE`
 * when nobody can be asked, and what `findMove`, the drivers and `waitForAccess` throw.
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
  refuseHandedOver(plane)
  const isFenced = plane.movingTo !== undefined
  if (!isFenced && arrival === undefined) {
    throw new VplaneError('NOT_FOUND', `no move of "${plane.name}" to ${placeOf(to)} was begun`)
  }
  const steps = [
    ...(arrival === undefined ? [] : [`remove what there is of it: ${placeOf(to)}`]),
    ...(isFenced ? [`start it where it was: ${placeOf(plane)}`] : []),
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
      const there = await findArrival(plane, move)
      leftovers.push(...(there === undefined ? [] : await target.driver.remove(there, operation)))
    } catch (error) {
      if (!isOutOfReach(error)) {
        throw error
      }
      // It was never handed over, so that it never starts by itself either.
      leftovers.push({ what: `what there is of it: ${placeOf(to)}`, why: error.message })
    }
  }
  await driver.moves.return(plane, { undo }, operation)
  if (isFenced) {
    await waitForAccess(deps, { driver, plane: asRunning(plane), timeoutMs, signal })
  }
  return { ...result, isAborted: true, leftovers }
}
