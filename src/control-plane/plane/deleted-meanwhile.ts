import { VplaneError } from '../../shared/errors.ts'

/** The error for a plane that was deleted during an operation, even if another plane has its name now. */
export function deletedMeanwhile(name: string, cause?: unknown): VplaneError {
  return new VplaneError('CONTROL_PLANE_NOT_FOUND', `"${name}" was deleted meanwhile`, {
    hints: [{ action: 'list' }],
    cause,
  })
}
