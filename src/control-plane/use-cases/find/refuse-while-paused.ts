import { VplaneError } from '../../../shared/errors.ts'
import type { Plane } from '../../plane/plane.ts'

/**
 * Refuses what needs a plane that runs.
 *
 * @param what what is done to it: `upgraded`
 * @throws {VplaneError} `FAILED` when it rests.
 */
export function refuseWhilePaused({ desired, name }: Plane, what: string): void {
  if (desired !== 'running') {
    throw new VplaneError('FAILED', `"${name}" rests: it is ${what} while it runs`, {
      hints: [{ action: 'resume', plane: { name } }],
    })
  }
}
