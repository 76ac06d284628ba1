import { VplaneError } from '../../shared/errors.ts'
import { ROTATED_KEYS } from '../rotation.ts'
import { wordsOf } from './plane-words.ts'
import type { ResolvedPlane } from './resolve-plane.ts'

/**
 * Refuses to move a plane that trusts two CAs or keys for a while: only one of them would go with it.
 *
 * @throws {VplaneError} `FAILED` with the command that completes the rotation.
 */
export async function refuseRotation({ driver, plane }: ResolvedPlane): Promise<void> {
  for (const keys of ROTATED_KEYS) {
    const { taken, unfinished } = await driver.certificates.rotation(plane, keys)
    if (taken !== undefined || unfinished !== undefined) {
      const rotated = unfinished?.keys ?? keys
      throw new VplaneError('FAILED', `keys of "${plane.name}" are being rotated`, {
        hints: [`vplane certs rotate-${rotated} ${wordsOf(plane)} --stage complete`],
      })
    }
  }
}
