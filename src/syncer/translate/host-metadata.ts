import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { MANAGED_BY, SYNCED_BY_LABEL, SYNCER } from '../../manifests/object-names.ts'
import type { SyncScope } from '../scope/sync-scope.ts'
import { isCopiedAnnotation, toHostLabels } from './host-keys.ts'
import { hostNameOf } from './host-name.ts'
import {
  NAME_ANNOTATION,
  NAMESPACE_ANNOTATION,
  NAMESPACE_LABEL,
  PLANE_ID_ANNOTATION,
  UID_ANNOTATION,
} from './markers.ts'

/** The host object whose deletion makes the host delete another one. */
export interface OwnerReference {
  apiVersion: string
  kind: string
  name: string
  uid: string
  controller?: boolean
  blockOwnerDeletion?: boolean
}

export type HostMetadata = KubeObject['metadata'] & {
  name: string
  labels: Record<string, string>
  annotations: Record<string, string>
  ownerReferences?: OwnerReference[]
}

/**
 * The metadata of the host object of a virtual one: its name, the markers of its plane and virtual object, and the user's
 * labels and annotations unless they would affect the host. Owners and finalizers stay in the plane.
 */
export function toHostMetadata(
  scope: SyncScope,
  { metadata }: Pick<KubeObject, 'metadata'>,
  owner?: OwnerReference,
): HostMetadata {
  const { annotations = {}, labels = {}, name = '', namespace, uid = '' } = metadata
  return {
    name: hostNameOf(scope, { name, namespace }),
    ...(namespace === undefined ? {} : { namespace: scope.host.namespace }),
    labels: { ...toHostLabels(labels), ...markerLabels(scope, namespace) },
    annotations: {
      ...Object.fromEntries(Object.entries(annotations).filter(([key]) => isCopiedAnnotation(key))),
      [NAME_ANNOTATION]: name,
      ...(namespace === undefined ? {} : { [NAMESPACE_ANNOTATION]: namespace }),
      [UID_ANNOTATION]: uid,
      [PLANE_ID_ANNOTATION]: scope.planeId,
    },
    ...(owner === undefined ? {} : { ownerReferences: [owner] }),
  }
}

/** The labels of every host object of a plane, or of one of its namespaces. */
export function markerLabels(
  { plane }: SyncScope,
  namespace: string | undefined,
): Record<string, string> {
  return {
    [MANAGED_BY]: SYNCER,
    [SYNCED_BY_LABEL]: plane,
    ...(namespace === undefined ? {} : { [NAMESPACE_LABEL]: namespace }),
  }
}

/** The label selector of all host objects of a plane. */
export function markerSelector(scope: SyncScope): string {
  return Object.entries(markerLabels(scope, undefined))
    .map((pair) => pair.join('='))
    .join(',')
}
