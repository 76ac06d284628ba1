import { waitFor } from '../../../shared/wait.ts'
import { collectionPath } from '../collections.ts'
import type { HostApi } from '../host-api.ts'
import { watchForWakeUps } from '../wake-ups.ts'

export interface GoneOptions {
  namespace: string
  labelSelector: string
  /** As it reads after "waiting for": `the end of etcd`. */
  what: string
  timeoutMs: number
  signal: AbortSignal
}

/**
 * Returns when no selected pod is left.
 *
 * @throws {VplaneError} `TIMED_OUT`, `ABORTED`.
 */
export async function waitUntilGone(
  api: Pick<HostApi, 'list' | 'watch'>,
  { labelSelector, namespace, ...waiting }: GoneOptions,
): Promise<void> {
  const path = collectionPath('pods', namespace)
  await using changes = watchForWakeUps(api, path, { labelSelector })
  await waitFor(
    async (signal) => {
      const { items } = await api.list(path, { labelSelector, signal })
      if (items.length === 0) {
        return true
      }
      await changes.next(signal)
      return false
    },
    { ...waiting, intervalMs: 1 },
  )
}
