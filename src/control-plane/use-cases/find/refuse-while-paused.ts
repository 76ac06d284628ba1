import { VplaneError } from '../../../shared/errors.ts'
import type { Plane } from '../../plane/plane.ts'

/** @throws {VplaneError} `FAILED` when the plane is paused; `what` is the operation: `upgraded`. */
export function refuseWhilePaused(
  { desired, name, neverStarted = false }: Plane,
  what: string,
): void {
  if (desired !== 'running') {
    const state = neverStarted ? 'was never started' : 'is paused'
    throw new VplaneError('FAILED', `"${name}" ${state}: it can only be ${what} while it runs`, {
      hints: [{ action: 'resume', plane: { name } }],
    })
  }
}

/** @throws {VplaneError} `FAILED` when the plane was never started, so that it has no data. */
export function refuseNeverStarted({ name, neverStarted }: Plane): void {
  if (neverStarted === true) {
    throw new VplaneError('FAILED', `"${name}" was never started, so it has no data`, {
      hints: [{ purpose: 'to start it', action: 'resume', plane: { name } }],
    })
  }
}
