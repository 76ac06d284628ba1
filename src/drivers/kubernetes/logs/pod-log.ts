import { httpStatusOf } from '../../../kube/kube-error.ts'
import { objectPath } from '../../../shared/kube/collections.ts'
import type { HostApi } from '../host/host-api.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'

export interface PodLogOptions {
  container: string
  follow: boolean
  /** How many of the last lines. @default all */
  tail?: number | undefined
  /** Only the lines of the last milliseconds, rounded up to seconds. @default all */
  sinceMs?: number | undefined
  signal: AbortSignal
}

/** Yields the log of a pod's container in chunks as they arrive; nothing while the container has not started. */
export async function* podLog(
  api: Pick<HostApi, 'stream'>,
  { metadata }: KubeObject,
  { container, follow, signal, sinceMs, tail }: PodLogOptions,
): AsyncGenerator<string> {
  const { name = '', namespace = '' } = metadata
  const query = new URLSearchParams({
    container,
    ...(follow ? { follow: 'true' } : {}),
    ...(tail === undefined ? {} : { tailLines: String(tail) }),
    // The API refuses 0.
    ...(sinceMs === undefined
      ? {}
      : { sinceSeconds: String(Math.max(1, Math.ceil(sinceMs / 1000))) }),
  })
  const path = `${objectPath('pods', { name, namespace })}/log?${query.toString()}`
  try {
    yield* api.stream(path, { signal })
  } catch (error) {
    // 400: the container has not started, 404: the pod does not exist any more.
    if (![400, 404].includes(httpStatusOf(error) ?? 0)) {
      throw error
    }
  }
}
