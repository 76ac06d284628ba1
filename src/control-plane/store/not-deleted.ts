import { VplaneError } from '../../shared/errors.ts'

/** A plane as hints name it. */
interface Named {
  name: string
  namespace?: string
}

/** The error of a plane that is not deleted, because its `data` at a server cannot be deleted, with what to do. */
export function notDeleted(plane: Named, error: unknown, data: 'database' | 'keys'): unknown {
  if (!(error instanceof VplaneError)) {
    return error
  }
  const purpose = `or delete it without its ${data}`
  return new VplaneError(error.code, `"${plane.name}" was not deleted: ${error.message}`, {
    cause: error,
    hints: [...error.hints, { purpose, action: 'delete', plane, leaveData: true }],
  })
}

/** Why `data` of a plane at a server cannot be deleted when nobody can read how the plane reaches it. */
export function withoutRecord(data: string): VplaneError {
  const message = `${data} cannot be deleted, because the record of the plane is missing or cannot be read`
  return new VplaneError('FAILED', message, { hints: ['use the vplane that changed it last'] })
}
