import { VplaneError } from '../../shared/errors.ts'
import type { PlaneMove, PlaneReference } from './plane.ts'
import { moveOptions, placeOf, placeOptions } from './plane-words.ts'

interface Fenceable {
  movingTo?: PlaneMove | undefined
}

/** Why a fenced plane must not start, or undefined if it is not fenced. */
export function fenceOf({ movingTo }: Fenceable): string | undefined {
  if (movingTo === undefined) {
    return undefined
  }
  const { handedTo, to } = movingTo
  return handedTo === undefined
    ? `it is being moved to ${placeOf(to)}`
    : `it was moved to ${placeOf(to)}, and only its data is kept`
}

/** The error for a moved plane that cannot return, because the plane at the destination may have new data. */
export function replacedBy(plane: PlaneReference, to: PlaneReference): VplaneError {
  const message = `"${plane.name}" has moved to ${placeOf(to)}, where it may have accepted writes since`
  const options = { ...placeOptions(to, { withHost: true }), ...moveOptions(plane) }
  const moveBack = { action: 'move', plane: { name: plane.name }, ...options } as const
  return new VplaneError('FAILED', message, {
    hints: [
      { purpose: 'to complete the move', action: 'move', plane },
      { purpose: 'to move it back from there', ...moveBack },
    ],
  })
}
