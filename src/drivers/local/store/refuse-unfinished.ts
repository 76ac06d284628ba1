import { VplaneError } from '../../../shared/errors.ts'
import type { PlaneRecord } from './plane-record.ts'

/** @throws {VplaneError} `FAILED` when the keys of a plane are not complete, with the command that continues. */
export function refuseUnfinished({ isBootstrapped, name }: PlaneRecord): void {
  if (!isBootstrapped) {
    throw new VplaneError('FAILED', `the creation of "${name}" was interrupted`, {
      hints: [{ purpose: 'to continue', action: 'resume', plane: { name } }],
    })
  }
}
