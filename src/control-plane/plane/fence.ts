import { VplaneError } from '../../shared/errors.ts'
import type { PlaneMove, PlaneReference } from './plane.ts'
import { flagsOf, moveFlagsOf, placeOf, wordsOf } from './plane-words.ts'

/** What is recorded of the move of a plane. */
interface Fenceable {
  movingTo?: PlaneMove | undefined
}

/** Why nothing starts a plane that is fenced; undefined when it is not. */
export function fenceOf({ movingTo }: Fenceable): string | undefined {
  if (movingTo === undefined) {
    return undefined
  }
  const { handedTo, to } = movingTo
  return handedTo === undefined
    ? `it is being moved to ${placeOf(to)}`
    : `it was moved to ${placeOf(to)}, and only its data is kept`
}

/**
 * Refuses to work with a plane that is fenced.
 *
 * @throws {VplaneError} `FAILED` that says what can be done.
 */
export function refuseFenced(plane: PlaneReference & Fenceable): void {
  const fence = fenceOf(plane)
  if (fence !== undefined) {
    const words = wordsOf(plane)
    throw new VplaneError('FAILED', `"${plane.name}" is fenced: ${fence}`, {
      hints:
        plane.movingTo?.handedTo === undefined
          ? [`vplane move ${words}`, `to keep it where it was: vplane move ${words} --abort`]
          : [
              `to end a move that was cut off: vplane move ${words}`,
              `to have no more of it here: vplane delete ${words}`,
            ],
    })
  }
}

/** Why a plane does not come back whose place another one has taken, and what can be done. */
export function goneFor(plane: PlaneReference, to: PlaneReference): VplaneError {
  const message = `"${plane.name}" has gone to ${placeOf(to)}, where it may have taken writes since`
  const there = `${plane.name} ${flagsOf(to, { withHost: true })}`
  const back = `vplane move ${there} ${moveFlagsOf(plane)}`
  return new VplaneError('FAILED', message, {
    hints: [
      `to end the move: vplane move ${wordsOf(plane)}`,
      `to move it back from there: ${back}`,
    ],
  })
}
