import { VplaneError } from '../../shared/errors.ts'
import type { Plane } from '../plane/plane.ts'
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

/**
 * Renewal is refused during an interrupted step, which must issue the certificates itself.
 * @throws {VplaneError} `FAILED` with the command that continues it.
 */
export function refuseHalfRotated(
  plane: Pick<Plane, 'name' | 'namespace'>,
  unfinished: RotationStep | undefined,
): void {
  if (unfinished !== undefined) {
    const { what } = ROTATION_WORDS[unfinished.keys]
    throw new VplaneError('FAILED', `the rotation of ${what} of "${plane.name}" was interrupted`, {
      hints: [{ purpose: 'to continue', action: `rotate-${unfinished.keys}`, plane }],
    })
  }
}
