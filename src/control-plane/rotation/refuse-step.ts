import { VplaneError } from '../../shared/errors.ts'
import { type RotationProgress, type RotationStep, stagesAhead } from './rotation.ts'
import { ROTATION_WORDS } from './rotation-words.ts'

/**
 * Refuses a step of a rotation that is no longer the next one, because another command has continued the rotation. The
 * caller holds the plane's lock.
 *
 * @param progress the current progress of the rotation of the step's keys
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
    throw new VplaneError(
      'FAILED',
      `another vplane has continued the rotation of ${what} of "${name}"`,
      {
        hints: ['run the same command again: it shows the current stage, and continues from there'],
      },
    )
  }
}

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
