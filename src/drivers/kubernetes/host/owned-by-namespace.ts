import { type Manifest, isClusterWide } from '../../../manifests/manifest.ts'
import type { HostApi } from './host-api.ts'
import { unlessRefused } from './unless-refused.ts'
import { objectPath } from '../../../shared/kube/collections.ts'

/**
 * Makes the namespace of a plane the owner of its cluster-wide objects, so that the host deletes them with the
 * namespace. Returns the objects without an owner when the user may not read the namespace.
 */
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
