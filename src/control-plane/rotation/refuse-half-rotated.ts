import { VplaneError } from '../../shared/errors.ts'
import type { RotationStep } from './rotation.ts'
import { ROTATION_WORDS } from './rotation-words.ts'

/**
 * Refuses to issue certificates anew while a stage of a rotation is half taken, which says how they are to be.
 *
 * @param unfinished the step that was cut off
 * @throws {VplaneError} `FAILED` with the command that goes on with it.
 */
export function refuseHalfRotated(name: string, unfinished: RotationStep | undefined): void {
  if (unfinished !== undefined) {
    const { what } = ROTATION_WORDS[unfinished.keys]
    throw new VplaneError('FAILED', `the rotation of ${what} of "${name}" was cut off`, {
      hints: [{ purpose: 'to continue', action: `rotate-${unfinished.keys}`, plane: { name } }],
    })
  }
}
