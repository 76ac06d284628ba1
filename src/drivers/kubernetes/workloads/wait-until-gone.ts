import { waitFor } from '../../../shared/wait.ts'
import { collectionPath } from '../../../shared/kube/collections.ts'
import type { HostApi } from '../host/host-api.ts'
import { watchForWakeUps } from '../host/wake-ups.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'

export interface GoneOptions {
  namespace: string
  labelSelector: string
  /** @default all */
  isMeant?: (pod: KubeObject) => boolean
  /** Follows "waiting for" in messages: `the end of etcd`. */
  what: string
  timeoutMs: number
  signal: AbortSignal
}

/** @throws {VplaneError} `TIMED_OUT`, `ABORTED`. */
export async function waitUntilGone(
  api: Pick<HostApi, 'list' | 'watch'>,
  { isMeant = () => true, labelSelector, namespace, ...waiting }: GoneOptions,
): Promise<void> {
  const path = collectionPath('pods', namespace)
  await using changes = watchForWakeUps(api, path, { labelSelector })
  await waitFor(
    async (signal) => {
      const { items } = await api.list(path, { labelSelector, signal })
      if (!items.some(isMeant)) {
        return true
      }
      await changes.next(signal)
      return false
    },
    { ...waiting, intervalMs: 1 },
  )
}
