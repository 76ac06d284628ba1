import type { KubeClient } from '../../kube/client/client.ts'
import {
  type KeeperStatus,
  keeperStatusData,
  keeperStatusOf,
} from '../../manifests/keeper-status.ts'
import { objectPath } from '../../shared/kube/collections.ts'

/** Where a keeper publishes the status of one duty. */
export interface Board<T> {
  read: (signal: AbortSignal) => Promise<T>
  write: (status: T, signal: AbortSignal) => Promise<void>
}

/** One part of the status ConfigMap in a host namespace. */
export function statusBoard<Part extends keyof KeeperStatus>(
  host: Pick<KubeClient, 'get' | 'patch'>,
  part: Part,
  place: { name: string; namespace: string },
): Board<KeeperStatus[Part]> {
  const path = objectPath('configmaps', place)
  return {
    read: async (signal) => keeperStatusOf(await host.get(path, { signal }))[part],
    write: async (status, signal) => {
      const data = keeperStatusData({ [part]: status })
      await host.patch(path, { data }, { type: 'merge', signal })
    },
  }
}
