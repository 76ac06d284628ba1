import type { KubeObject } from '../../shared/kube/kube-object.ts'
import type { SyncScope, VirtualKey } from '../scope/sync-scope.ts'
import { markerLabels } from './host-metadata.ts'
import { hostNameOf } from './host-name.ts'
import {
  NAME_ANNOTATION,
  NAMESPACE_ANNOTATION,
  PLANE_ID_ANNOTATION,
  UID_ANNOTATION,
} from './markers.ts'

/** The virtual object that a host object was made of. */
export interface VirtualIdentity extends VirtualKey {
  uid: string
}

/**
 * The virtual object of a host object; undefined unless every marker is of this plane and the name is the one that
 * such an object gets, so that nothing is taken for ours that was only labelled or annotated like it.
 */
export function virtualOf(scope: SyncScope, host: KubeObject): VirtualIdentity | undefined {
  const marked = markedAs(scope, host)
  return marked?.planeId === scope.planeId ? marked.identity : undefined
}

/**
 * The plane's id that a host object carries which is of a plane with this name, but of another life of it: the plane was
 * emptied or brought back. Undefined for our own objects and for all that are of no plane of this name.
 */
export function otherPlaneIdOf(scope: SyncScope, host: KubeObject): string | undefined {
  const marked = markedAs(scope, host)
  return marked?.planeId === scope.planeId ? undefined : marked?.planeId
}

/** Tells whether a host object of ours was made for an earlier virtual object than this one, which has its name now. */
export function isOfEarlier({ metadata }: KubeObject, virtual: KubeObject): boolean {
  const uid = metadata.annotations?.[UID_ANNOTATION]
  return uid !== undefined && uid !== virtual.metadata.uid
}

interface Marked {
  identity: VirtualIdentity
  planeId: string
}

/** What the markers say, where all are there and agree with each other and with the object's own name. */
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
    // NUL separates what is hashed, and no name has one.
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
