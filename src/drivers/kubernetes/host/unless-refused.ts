import { unlessStatus } from '../../../kube/kube-error.ts'

/** What was looked for; undefined when the user may not look, or the host has no such thing. */
export function unlessRefused<T>(look: Promise<T>): Promise<T | undefined> {
  return unlessStatus([403, 404], look)
}
