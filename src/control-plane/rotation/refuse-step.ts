import { VplaneError } from '../../shared/errors.ts'
import { type RotationProgress, type RotationStep, stagesAhead } from './rotation.ts'
import { ROTATION_WORDS } from './rotation-words.ts'

/**
 * For callers that hold the plane's lock, with the current progress: another command may have continued the rotation.
 * @throws {VplaneError} `FAILED` when another step is next, or another one was interrupted.
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
    const message = `another vplane has continued the rotation of ${what} of "${name}"`
    throw new VplaneError('FAILED', message, {
      hints: ['run the same command again: it shows the current stage, and continues from there'],
    })
  }
}
