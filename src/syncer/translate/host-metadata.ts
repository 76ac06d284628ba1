import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { MANAGED_BY, SYNCED_BY_LABEL, SYNCER } from '../../manifests/object-names.ts'
import type { SyncedResource } from '../scope/resources.ts'
import type { SyncScope, VirtualKey } from '../scope/sync-scope.ts'
import { isCopiedAnnotation } from './host-annotations.ts'
import { toHostLabels } from './host-keys.ts'
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
  /** It controls the other one: nothing else on the host adopts that, and evicting it loses nothing. */
  controller?: true
}

export type HostMetadata = KubeObject['metadata'] & {
  name: string
  labels: Record<string, string>
  annotations: Record<string, string>
  ownerReferences?: OwnerReference[]
}

export interface HostObjectContext {
  scope: SyncScope
  resource: SyncedResource
  owner?: OwnerReference | undefined
}

/** Markers, labels, and the annotations that the host may have; owners and finalizers stay in the plane. */
export function toHostMetadata(
  { owner, resource, scope }: HostObjectContext,
  { metadata }: Pick<KubeObject, 'metadata'>,
): HostMetadata {
  const { annotations = {}, labels = {}, name = '', namespace, uid = '' } = metadata
  const copied = Object.entries(annotations).filter(([key]) =>
    isCopiedAnnotation(scope, resource, key),
  )
  return {
    name: hostNameOf(scope, { name, namespace }),
    ...(namespace === undefined ? {} : { namespace: scope.host.namespace }),
    labels: { ...toHostLabels(scope, labels), ...markerLabels(scope, namespace) },
    annotations: {
      ...Object.fromEntries(copied),
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

export interface VirtualIdentity extends VirtualKey {
  uid: string
}

/** The virtual object of a host object; undefined unless all markers, which anyone may set, and the name match the plane. */
export function virtualOf(scope: SyncScope, host: KubeObject): VirtualIdentity | undefined {
  const marked = markedAs(scope, host)
  return marked?.planeId === scope.planeId ? marked.identity : undefined
}

/** The plane id of a host object from before this plane was emptied or restored; undefined for all other objects. */
export function otherPlaneIdOf(scope: SyncScope, host: KubeObject): string | undefined {
  const marked = markedAs(scope, host)
  return marked?.planeId === scope.planeId ? undefined : marked?.planeId
}

/** Whether a host object of the plane belongs to an earlier virtual object of the same name. */
export function isOfEarlier({ metadata }: KubeObject, virtual: KubeObject): boolean {
  const uid = metadata.annotations?.[UID_ANNOTATION]
  return uid !== undefined && uid !== virtual.metadata.uid
}

interface Marked {
  identity: VirtualIdentity
  planeId: string
}

/** What the markers contain; undefined unless they are complete and match each other and the object's name. */
function markedAs(scope: SyncScope, { metadata }: KubeObject): Marked | undefined {
  const { annotations = {}, labels = {} } = metadata
  const name = annotations[NAME_ANNOTATION]
  const namespace = annotations[NAMESPACE_ANNOTATION]
  const uid = annotations[UID_ANNOTATION]
  const planeId = annotations[PLANE_ID_ANNOTATION]
  if (!isFilled(name) || !isFilled(uid) || !isFilled(planeId) || namespace === '') {
    return undefined
  }
  const hostNamespace = namespace === undefined ? undefined : scope.host.namespace
  const isOurs =
    metadata.namespace === hostNamespace &&
    // NUL separates the parts of a hash, and no name contains it.
    ![name, namespace].some((part) => part?.includes('\0')) &&
    Object.entries(markerLabels(scope, namespace)).every(([key, value]) => labels[key] === value) &&
    metadata.name === hostNameOf(scope, { name, namespace })
  return isOurs
    ? { identity: { name, ...(namespace === undefined ? {} : { namespace }), uid }, planeId }
    : undefined
}

function isFilled(text: string | undefined): text is string {
  return text !== undefined && text !== ''
}
