import { VplaneError } from '../../../shared/errors.ts'
import type { Leftover } from '../../driver/driver.ts'
import type { PlaneReference } from '../../plane/plane.ts'

/** What a deletion left and should not keep: each thing, and why it was left. */
export function unwantedIn(leftovers: readonly Leftover[]): string[] {
  return leftovers.filter(({ isKept }) => isKept !== true).map(({ what, why }) => `${what}: ${why}`)
}

/** @throws {VplaneError} `NEEDS_ATTENTION` when a deletion left more than it should keep. */
export function refuseLeftovers(plane: PlaneReference, leftovers: readonly Leftover[]): void {
  const unwanted = unwantedIn(leftovers)
  if (unwanted.length > 0) {
    const list = unwanted.map((one) => `  ${one}`).join('\n')
    const message = `could not remove everything of "${plane.name}":\n${list}`
    throw new VplaneError('NEEDS_ATTENTION', message, { hints: [{ action: 'delete', plane }] })
  }
}
