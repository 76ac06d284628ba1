import { VplaneError } from '../../shared/errors.ts'
import type { RotationStep } from './rotation.ts'
import { ROTATION_WORDS } from './rotation-words.ts'

/**
 * Refuses to renew certificates during an interrupted stage of a rotation, which must issue them itself.
 *
 * @param unfinished the interrupted step
 * @throws {VplaneError} `FAILED` with the command that continues it.
 */
export function refuseHalfRotated(name: string, unfinished: RotationStep | undefined): void {
  if (unfinished !== undefined) {
    const { what } = ROTATION_WORDS[unfinished.keys]
    throw new VplaneError('FAILED', `the rotation of ${what} of "${name}" was cut off`, {
      hints: [{ purpose: 'to continue', action: `rotate-${unfinished.keys}`, plane: { name } }],
    })
  }
}
