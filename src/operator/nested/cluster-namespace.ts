import type { KubeClient } from '../../kube/client/client.ts'
import { MANAGED_BY } from '../../manifests/object-names.ts'
import { VplaneError } from '../../shared/errors.ts'
import { textAt } from '../../shared/json-fields.ts'
import { collectionPath, objectPath } from '../../shared/kube/collections.ts'
import { isLeaving, type KubeObject } from '../../shared/kube/kube-object.ts'
import { OWNER_LABEL, ownerLabels, placeOf } from './nested-control-plane.ts'

export interface ClusterNamespace {
  name: string
  uid: string
}

/**
 * The namespace of a NestedControlPlane, which is created if it is missing.
 * @throws {VplaneError} `CONFLICT` when it is not that of the NestedControlPlane, or is being deleted.
 */
export async function ensureClusterNamespace(
  host: Pick<KubeClient, 'create' | 'get'>,
  resource: KubeObject,
  signal: AbortSignal,
): Promise<ClusterNamespace> {
  const { namespace: name } = placeOf(resource)
  const labels = { [MANAGED_BY]: 'vplane', ...ownerLabels(resource) }
  const wanted = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } }
  const found =
    (await host.get(objectPath('namespaces', { name }), { signal })) ??
    (await host.create(collectionPath('namespaces'), wanted, { signal }))
  if (!isOwn(found, resource)) {
    throw new VplaneError('CONFLICT', `namespace "${name}" exists and is not of this control plane`)
  }
  if (isLeaving(found)) {
    throw new VplaneError('CONFLICT', `namespace "${name}" is being deleted`)
  }
  return { name, uid: found.metadata.uid ?? '' }
}

/**
 * Deletes the namespace of a NestedControlPlane with everything in it: only the one whose UID its status recorded, or
 * that its label names, when the operator ended before it wrote the status.
 * @returns whether it is gone.
 */
export async function removeClusterNamespace(
  host: Pick<KubeClient, 'delete' | 'get'>,
  resource: KubeObject,
  signal: AbortSignal,
): Promise<boolean> {
  const path = objectPath('namespaces', { name: placeOf(resource).namespace })
  const found = await host.get(path, { signal })
  const { uid } = found?.metadata ?? {}
  const recorded = textAt(resource, 'status', 'clusterNamespace', 'uid') ?? uid
  if (found === undefined || uid !== recorded || !isOwn(found, resource)) {
    return true
  }
  if (!isLeaving(found)) {
    await host.delete(path, { uid, signal })
  }
  return false
}

function isOwn({ metadata: { labels } }: KubeObject, { metadata: { uid } }: KubeObject): boolean {
  return labels?.[OWNER_LABEL] === uid
}
