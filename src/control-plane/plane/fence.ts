import { VplaneError } from '../../shared/errors.ts'
import type { PlaneMove, PlaneReference } from './plane.ts'
import { moveOptions, placeOf, placeOptions } from './plane-words.ts'

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
    throw new VplaneError('FAILED', `"${plane.name}" is fenced: ${fence}`, {
      hints:
        plane.movingTo?.handedTo === undefined
          ? [
              { action: 'move', plane },
              { purpose: 'to keep it where it was', action: 'move', plane, abort: true },
            ]
          : [
              { purpose: 'to end a move that was cut off', action: 'move', plane },
              { purpose: 'to have no more of it here', action: 'delete', plane },
            ],
    })
  }
}

/** Why a plane does not come back whose place another one has taken, and what can be done. */
export function replacedBy(plane: PlaneReference, to: PlaneReference): VplaneError {
  const message = `"${plane.name}" has gone to ${placeOf(to)}, where it may have taken writes since`
  const options = { ...placeOptions(to, { withHost: true }), ...moveOptions(plane) }
  return new VplaneError('FAILED', message, {
    hints: [
      { purpose: 'to end the move', action: 'move', plane },
      {
        purpose: 'to move it back from there',
        action: 'move',
        plane: { name: plane.name },
        ...options,
      },
    ],
  })
}
