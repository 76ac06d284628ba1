import { VplaneError } from '../../shared/errors.ts'

/** @throws {VplaneError} `FAILED` with hints how to complete a restore that is recorded. */
export function refuseHalfRestored(plane: {
  name: string
  restoring?: { movingFrom?: string } | undefined
}): void {
  const { name, restoring } = plane
  if (restoring?.movingFrom !== undefined) {
    throw new VplaneError('FAILED', `the move of "${name}" to this place was interrupted`, {
      hints: ['run the same move again', { purpose: 'or to keep it where it was', abort: true }],
    })
  }
  if (restoring !== undefined) {
    const restore = { action: 'restore', plane: { name }, force: true, from: 'SNAPSHOT' } as const
    throw new VplaneError('FAILED', `a restore of "${name}" was interrupted`, {
      hints: [{ purpose: 'run it again', ...restore }],
    })
  }
}
