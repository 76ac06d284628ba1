import { VplaneError } from '../../../shared/errors.ts'
import type { PlaneRecord } from './plane-record.ts'

/**
 * Refuses to work with a plane whose keys are not complete.
 *
 * @throws {VplaneError} `FAILED` that says how to go on.
 */
export function refuseUnfinished({ isBootstrapped, name }: PlaneRecord): void {
  if (!isBootstrapped) {
    throw new VplaneError('FAILED', `the making of "${name}" was cut off`, {
      hints: [{ purpose: 'to continue', action: 'resume', plane: { name } }],
    })
  }
}
