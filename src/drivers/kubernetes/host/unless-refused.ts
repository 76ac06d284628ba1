import { httpStatusOf } from '../../../kube/kube-error.ts'

/** What was looked for; undefined when the user may not look, or the host has no such thing. */
export async function unlessRefused<T>(look: Promise<T>): Promise<T | undefined> {
  try {
    return await look
  } catch (error) {
    const status = httpStatusOf(error)
    if (status === 403 || status === 404) {
      return undefined
    }
    throw error
  }
}
