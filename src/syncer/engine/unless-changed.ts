import { unlessStatus } from '../../kube/kube-error.ts'

/**
 * Writes what was made of a cached object; undefined when the object has changed or gone since. That change comes by the
 * watch, and the same work with it.
 */
export function unlessChanged<Answer>(writing: Promise<Answer>): Promise<Answer | undefined> {
  return unlessStatus([404, 409], writing)
}
