import { isVplaneError } from '../../shared/errors.ts'

/** The answer to a request for an object; undefined if the object does not exist any more, or nothing was asked. */
export async function unlessMissing<Answer>(
  asking: Promise<Answer> | undefined,
): Promise<Answer | undefined> {
  try {
    return await asking
  } catch (error) {
    if (isVplaneError(error, 'NOT_FOUND')) {
      return undefined
    }
    throw error
  }
}
