import { httpStatusOf } from '../../../kube/kube-error.ts'
import { messageOf, VplaneError } from '../../../shared/errors.ts'

/** Answers of the host that stay as they are until somebody does something about it: a login, a right. */
const DENIALS = [401, 403]

/**
 * What a dial rejects with: the error itself when somebody has to do something about it, otherwise `UNREACHABLE`. A host
 * that cannot get through to a node answers with 500, and a pod that was just deleted with 404.
 */
export function toDialFailure(error: unknown): VplaneError {
  if (!(error instanceof VplaneError)) {
    return new VplaneError('UNREACHABLE', messageOf(error), { cause: error })
  }
  const status = httpStatusOf(error)
  const isPassing =
    status === undefined
      ? ['UNREACHABLE', 'TIMED_OUT', 'ABORTED', 'NOT_FOUND'].includes(error.code)
      : !DENIALS.includes(status)
  return isPassing ? new VplaneError('UNREACHABLE', error.message, { cause: error }) : error
}
