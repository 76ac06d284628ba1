import type { KubeClient } from '../../kube/client/client.ts'
import { collectionPath, objectPath } from '../../shared/kube/collections.ts'
import { isLeaving, type KubeObject } from '../../shared/kube/kube-object.ts'
import { putFinalizers } from '../resource/put-finalizers.ts'
import { removeClusterNamespace } from './cluster-namespace.ts'
import { NESTED_FINALIZER, OWNER_LABEL, placeOf } from './nested-control-plane.ts'

export type FinishHost = Pick<KubeClient, 'delete' | 'get' | 'list' | 'patch'>

/**
 * Does the next step of the deletion of a NestedControlPlane: its ControlPlane goes first, then its kubeconfig, then its
 * namespace with everything in it, then itself.
 * @returns what it waits for, in words; undefined when nothing is left.
 */
export async function finishNested(
  host: FinishHost,
  resource: KubeObject,
  signal: AbortSignal,
): Promise<string | undefined> {
  const place = placeOf(resource)
  const path = objectPath('controlplanes', place)
  const controlPlane = await host.get(path, { signal })
  const { uid } = resource.metadata
  if (controlPlane?.metadata.labels?.[OWNER_LABEL] === uid) {
    if (controlPlane !== undefined && !isLeaving(controlPlane)) {
      await host.delete(path, { uid: controlPlane.metadata.uid, signal })
    }
    return `ControlPlane "${place.name}" in namespace "${place.namespace}" to end`
  }
  await removeKubeconfigs(host, { resource }, signal)
  if (!(await removeClusterNamespace(host, resource, signal))) {
    return `namespace "${place.namespace}" to end`
  }
  const kind = 'nestedcontrolplanes'
  await putFinalizers({ host }, { resource, kind, remove: NESTED_FINALIZER }, signal)
  return undefined
}

/** Deletes the kubeconfigs beside a NestedControlPlane, except that of a Cluster that it still has. */
export async function removeKubeconfigs(
  host: Pick<KubeClient, 'delete' | 'list'>,
  { kept, resource }: { resource: KubeObject; kept?: string | undefined },
  signal: AbortSignal,
): Promise<void> {
  const { namespace, uid } = resource.metadata
  const path = collectionPath('secrets', namespace)
  const labelSelector = `${OWNER_LABEL}=${uid}`
  const { items } = await host.list(path, { labelSelector, metadataOnly: true, signal })
  for (const { metadata } of items.filter((one) => one.metadata.name !== kept)) {
    await host.delete(objectPath('secrets', metadata), { uid: metadata.uid, signal })
  }
}
