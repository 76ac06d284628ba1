import type { Operation } from '../driver/operation.ts'
import type { PlaneMoves } from '../driver/plane-moves.ts'
import type { Plane } from '../plane/plane.ts'
import { leavePlane } from './leave-plane.ts'
import type { MovablePlane } from './movable-plane.ts'
import { returnPlane } from './return-plane.ts'
import { takeBackPlane } from './take-back-plane.ts'

/** The parts of a move that differ between drivers. */
interface MoveDriver extends Pick<PlaneMoves, 'fingerprint'> {
  now: () => Date
  /** Works on a plane while no other vplane does, and records the operation that works on it. */
  hold: <Result>(
    plane: Plane,
    options: { kind: 'move' | 'restore'; operation: Operation },
    work: (held: MovablePlane) => Promise<Result>,
  ) => Promise<Result>
}

/** Returns how the planes of a driver move. */
export function createMoves({ fingerprint, hold, now }: MoveDriver): PlaneMoves {
  return {
    fingerprint,
    leave: (plane, request, operation) =>
      hold(plane, { kind: 'move', operation }, (held) => leavePlane(held, request, operation)),
    takeBack: (plane, request, operation) =>
      hold(plane, { kind: 'restore', operation }, (held) => takeBackPlane(held, request, now)),
    return: (plane, request, operation) =>
      hold(plane, { kind: 'move', operation }, (held) => returnPlane(held, request, operation)),
  }
}
