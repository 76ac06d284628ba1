import { VplaneError } from '../../../shared/errors.ts'
import type { Plane } from '../../plane/plane.ts'

/**
 * Refuses an operation that needs a running plane.
 *
 * @param what the operation: `upgraded`
 * @throws {VplaneError} `FAILED` when the plane is paused.
 */
export function refuseWhilePaused({ desired, name }: Plane, what: string): void {
  if (desired !== 'running') {
    throw new VplaneError('FAILED', `"${name}" is paused: it can only be ${what} while it runs`, {
      hints: [{ action: 'resume', plane: { name } }],
    })
  }
}
