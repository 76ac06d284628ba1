import type { KubeClient } from '../../kube/client/client.ts'
import { objectPath } from '../../shared/kube/collections.ts'

/** Whose objects a syncer keeps equal, and where the host objects are. */
export interface SyncScope {
  plane: string
  /** UID of the plane's namespace `kube-system`: it differs when the plane was emptied or brought back from a snapshot. */
  planeId: string
  /** Where host objects are. One cluster today; part of the mapping, since a plane may have several one day. */
  host: { namespace: string }
}

/** A virtual object by name; without a namespace for what is in none. */
export interface VirtualKey {
  name: string
  namespace?: string | undefined
}

/** What tells a plane from itself after it was emptied or restored: the UID of its namespace `kube-system`, if it has it. */
export async function readPlaneId(
  plane: Pick<KubeClient, 'get'>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const found = await plane.get(objectPath('namespaces', { name: 'kube-system' }), { signal })
  return found?.metadata.uid
}
