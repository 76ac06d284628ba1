import { VplaneError } from '../../../shared/errors.ts'
import type { Leftover } from '../../driver/driver.ts'
import type { PlaneReference } from '../../plane/plane.ts'

/** @throws {VplaneError} `NEEDS_ATTENTION` when a deletion left more than it should keep. */
export function refuseLeftovers(plane: PlaneReference, leftovers: readonly Leftover[]): void {
  const unwanted = leftovers.filter(({ isKept }) => isKept !== true)
  if (unwanted.length > 0) {
    const list = unwanted.map(({ what, why }) => `  ${what}: ${why}`).join('\n')
    const message = `could not remove everything of "${plane.name}":\n${list}`
    throw new VplaneError('NEEDS_ATTENTION', message, { hints: [{ action: 'delete', plane }] })
  }
}
