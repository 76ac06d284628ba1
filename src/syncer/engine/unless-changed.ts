import { httpStatusOf } from '../../kube/kube-error.ts'

/**
 * Writes what was made of a cached object; undefined when the object has changed or gone since. That change comes by the
 * watch, and the same work with it.
 */
export async function unlessChanged<Answer>(writing: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await writing
  } catch (error) {
    if ([404, 409].includes(httpStatusOf(error) ?? 0)) {
      return undefined
    }
    throw error
  }
}
