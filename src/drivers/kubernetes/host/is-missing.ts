import { httpStatusOf } from '../../../kube/kube-error.ts'
import type { HostApi } from './host-api.ts'

/** Whether something is not there; false for whoever may not look, who does not know. */
export async function isMissing(
  api: Pick<HostApi, 'get'>,
  path: string,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    return (await api.get(path, { signal })) === undefined
  } catch (error) {
    if (httpStatusOf(error) === 403) {
      return false
    }
    throw error
  }
}
