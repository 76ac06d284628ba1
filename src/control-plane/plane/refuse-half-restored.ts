import { VplaneError } from '../../shared/errors.ts'

/**
 * Refuses to start a plane whose data is half restored.
 *
 * @throws {VplaneError} `FAILED` that says how to go on.
 */
export function refuseHalfRestored({
  name,
  restoring,
}: {
  name: string
  /** What is recorded of a restore that is not done yet. */
  restoring?: { movingFrom?: string } | undefined
}): void {
  if (restoring?.movingFrom !== undefined) {
    throw new VplaneError('FAILED', `"${name}" is being moved here, and that was cut off`, {
      hints: ['run the same move again', { purpose: 'or to keep it where it was', abort: true }],
    })
  }
  if (restoring !== undefined) {
    throw new VplaneError('FAILED', `a restore of "${name}" was cut off`, {
      hints: [
        {
          purpose: 'run it again',
          action: 'restore',
          plane: { name },
          force: true,
          from: 'SNAPSHOT',
        },
      ],
    })
  }
}
