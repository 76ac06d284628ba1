import type { KubeClient } from '../../kube/client/client.ts'
import {
  type KeeperStatus,
  keeperStatusData,
  keeperStatusOf,
} from '../../manifests/keeper-status.ts'
import { objectPath } from '../../shared/kube/collections.ts'

/** Where a keeper says how one thing of its plane stands. */
export interface Board<T> {
  read: (signal: AbortSignal) => Promise<T>
  write: (status: T, signal: AbortSignal) => Promise<void>
}

/** A part of what the ConfigMap of a host namespace says that is there for that. */
export function statusBoard<Part extends keyof KeeperStatus>(
  host: Pick<KubeClient, 'get' | 'patch'>,
  part: Part,
  { name, namespace }: { name: string; namespace: string },
): Board<KeeperStatus[Part]> {
  const path = objectPath('configmaps', { name, namespace })
  return {
    read: async (signal) => keeperStatusOf(await host.get(path, { signal }))[part],
    write: async (status, signal) => {
      const data = keeperStatusData({ [part]: status })
      await host.patch(path, { data }, { type: 'merge', signal })
    },
  }
}
