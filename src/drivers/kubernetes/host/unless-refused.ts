import { unlessStatus } from '../../../kube/kube-error.ts'

/** Returns the response; undefined when the user may not read it, or it does not exist. */
export function unlessRefused<T>(answer: Promise<T>): Promise<T | undefined> {
  return unlessStatus([403, 404], answer)
}
