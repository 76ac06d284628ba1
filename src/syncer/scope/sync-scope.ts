import type { Policies } from '../../control-plane/spec/fields/policies-spec.ts'

import type { KubeClient } from '../../kube/client/client.ts'
import { objectPath } from '../../shared/kube/collections.ts'

/** The plane that a syncer works for, and where its host objects are. */
export interface SyncScope {
  plane: string
  /** UID of the plane's namespace `kube-system`: it changes when the plane is emptied or restored from a snapshot. */
  planeId: string
  /** Where host objects are: in one cluster today, and part of the mapping, as a plane may have several one day. */
  host: { namespace: string }
  /** The label keys that host objects keep: `app`, `example.com/*` or `*`. Others are renamed. @default all */
  labels?: readonly string[] | undefined
  /** The keys of annotations that host objects keep besides harmless ones, as of `labels`. @default all but dangerous ones */
  annotations?: readonly string[] | undefined
  /** What objects of the plane's users may claim on the host. @default everything */
  policies?: Policies | undefined
  /** Services of the host by their names in the plane, each as `service.namespace`, if the policies are about the network. @default none */
  hostServices?: Readonly<Record<string, string>> | undefined
}

/** The name of a virtual object, without a namespace if the object has none. */
export interface VirtualKey {
  name: string
  namespace?: string | undefined
}

/** Reads the UID of the plane's namespace `kube-system`; undefined when that does not exist yet. */
export async function readPlaneId(
  plane: Pick<KubeClient, 'get'>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const found = await plane.get(objectPath('namespaces', { name: 'kube-system' }), { signal })
  return found?.metadata.uid
}
