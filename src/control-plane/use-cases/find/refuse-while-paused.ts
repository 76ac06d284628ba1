import { VplaneError } from '../../../shared/errors.ts'
import type { Plane } from '../../plane/plane.ts'

/** @throws {VplaneError} `FAILED` when the plane is paused; `what` is the operation: `upgraded`. */
export function refuseWhilePaused({ desired, name }: Plane, what: string): void {
  if (desired !== 'running') {
    throw new VplaneError('FAILED', `"${name}" is paused: it can only be ${what} while it runs`, {
      hints: [{ action: 'resume', plane: { name } }],
    })
  }
}
