import { VplaneError } from '../../shared/errors.ts'

/** A plane as hints name it. */
interface Named {
  name: string
  namespace?: string
}

/** The error of a plane that is left as it is, because its `data` at a server cannot be deleted. */
export function notDeleted(
  plane: Named,
  error: VplaneError,
  data: 'database' | 'keys',
): VplaneError {
  const purpose = `or delete it without its ${data}`
  return new VplaneError(error.code, `"${plane.name}" was not deleted: ${error.message}`, {
    cause: error,
    hints: [...error.hints, { purpose, action: 'delete', plane, leaveData: true }],
  })
}
