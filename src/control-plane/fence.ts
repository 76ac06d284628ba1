import { VplaneError } from '../shared/errors.ts'
import type { PlaneMove, PlaneReference } from './plane.ts'
import { placeOf, wordsOf } from './use-cases/plane-words.ts'

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
          : [`vplane delete ${words}`],
    })
  }
}

/**
 * Refuses to go on with a plane whose place another one has taken.
 *
 * @throws {VplaneError} `FAILED` that says what can be done.
 */
export function refuseHandedOver(plane: PlaneReference & Fenceable): void {
  if (plane.movingTo?.handedTo !== undefined) {
    const place = placeOf(plane.movingTo.to)
    throw new VplaneError(
      'FAILED',
      `"${plane.name}" has gone to ${place}, where it may have taken writes since`,
      { hints: [`to end the move: vplane move ${wordsOf(plane)}`, 'or move it back from there'] },
    )
  }
}
