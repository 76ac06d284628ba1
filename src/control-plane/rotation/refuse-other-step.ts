import { VplaneError } from '../../shared/errors.ts'
import { type RotationProgress, type RotationStep, stagesAhead } from './rotation.ts'
import { ROTATION_WORDS } from './rotation-words.ts'

/**
 * Refuses a step of a rotation that is not the next one: it was chosen before somebody else went on. Whoever calls holds
 * the plane.
 *
 * @param progress how far the rotation of the keys of the step has come by now
 * @throws {VplaneError} `FAILED` when another step comes next, or another one was begun and cut off.
 */
export function refuseOtherStep(
  name: string,
  progress: RotationProgress,
  { keys, stage }: RotationStep,
): void {
  const rotated = progress.unfinished?.keys ?? keys
  const [next] = stagesAhead(progress)
  if (rotated !== keys || next !== stage) {
    const { what } = ROTATION_WORDS[rotated]
    throw new VplaneError(
      'FAILED',
      `another vplane has gone on with the rotation of ${what} of "${name}"`,
      { hints: ['run the same command again: it says where that is, and goes on from there'] },
    )
  }
}
