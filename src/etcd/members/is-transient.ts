import { VplaneError } from '../../shared/errors.ts'

/** Errors that occur while the members connect to each other. */
const TRANSIENT =
  /with status 503|in sync with leader|not enough started members|too many learner|leader changed|unhealthy/

/** Whether the next attempt may succeed. */
export function isTransient(error: unknown): error is VplaneError {
  return (
    error instanceof VplaneError &&
    (error.code === 'UNREACHABLE' || error.code === 'TIMED_OUT' || TRANSIENT.test(error.message))
  )
}

/** Whether a member refused a change because it is not connected to enough others. */
export function isUnhealthy(error: unknown): boolean {
  return error instanceof VplaneError && error.message.includes('unhealthy cluster')
}
