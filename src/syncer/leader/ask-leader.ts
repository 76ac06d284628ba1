import { createKubeClient, type KubeClient } from '../../kube/client/client.ts'
import { holderOf, leasePath } from '../../kube/lease/lease-object.ts'
import type { SyncerSettings } from '../scope/settings.ts'
import type { SyncScope } from '../scope/sync-scope.ts'
import type { SyncerPki } from '../tls/syncer-pki.ts'
import { textAt } from '../../shared/json-fields.ts'
import { objectPath } from '../../shared/kube/collections.ts'
import { urlHost } from '../../shared/network/url-host.ts'

export interface AskLeaderOptions {
  scope: SyncScope
  settings: Pick<SyncerSettings, 'kubeletHost' | 'leaseName'>
  pki: Pick<SyncerPki, 'credentials'>
  host: Pick<KubeClient, 'get'>
}

/** Requests a path of a kubelet from the leader; undefined when no leader is known. */
export type AskLeader = (
  kubelet: { port: number; path: string },
  signal: AbortSignal,
) => Promise<{ status: number; body: string } | undefined>

/** Lets a syncer send requests to the leader, whose pod the Lease names, with its own certificate. */
export function askLeader(options: AskLeaderOptions): AskLeader {
  const { kubeletHost } = options.settings
  return async ({ path, port }, signal) => {
    const address = await readAddress(options, signal)
    if (address === undefined) {
      return undefined
    }
    await using leader = createKubeClient({
      server: `https://${urlHost(address)}:${port}`,
      serverName: kubeletHost,
      credentials: options.pki.credentials(),
    })
    return await leader.text(path, { signal })
  }
}

async function readAddress(
  { host, scope, settings: { leaseName } }: AskLeaderOptions,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { namespace } = scope.host
  if (leaseName === undefined) {
    return undefined
  }
  const lease = await host.get(leasePath({ metadata: { name: leaseName, namespace } }), { signal })
  const [pod] = (lease === undefined ? undefined : holderOf(lease))?.split('_') ?? []
  if (pod === undefined) {
    return undefined
  }
  const found = await host.get(objectPath('pods', { name: pod, namespace }), { signal })
  return textAt(found, 'status', 'podIP')
}
