import { unlessStatus } from '../../../kube/kube-error.ts'
import type { HostApi } from './host-api.ts'

/** Returns the response; undefined when the user may not read it, or it does not exist. */
export function unlessRefused<T>(answer: Promise<T>): Promise<T | undefined> {
  return unlessStatus([403, 404], answer)
}

/** Whether an object does not exist; false when the user may not read it. */
export async function isMissing(
  api: Pick<HostApi, 'get'>,
  path: string,
  signal: AbortSignal,
): Promise<boolean> {
  const found = api.get(path, { signal }).then((object) => object !== undefined)
  return (await unlessStatus([403], found)) === false
}
