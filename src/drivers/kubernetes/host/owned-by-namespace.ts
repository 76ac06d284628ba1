import { type Manifest, isClusterWide } from '../../../manifests/manifest.ts'
import type { HostApi } from './host-api.ts'
import { unlessRefused } from './unless-refused.ts'
import { objectPath } from '../../../shared/kube/collections.ts'

/** Lets the host delete cluster-wide objects with the namespace, if the user may read it. */
export async function ownedByNamespace(
  api: Pick<HostApi, 'get'>,
  objects: readonly Manifest[],
  { namespace: name, signal }: { namespace: string; signal: AbortSignal },
): Promise<Manifest[]> {
  if (!objects.some(isClusterWide)) {
    return [...objects]
  }
  const namespace = await unlessRefused(api.get(objectPath('namespaces', { name }), { signal }))
  const uid = namespace?.metadata.uid
  const ownerReferences = [{ apiVersion: 'v1', kind: 'Namespace', name, uid }]
  return objects.map((object) =>
    uid === undefined || !isClusterWide(object)
      ? object
      : { ...object, metadata: { ...object.metadata, ownerReferences } },
  )
}
