import {
  type AnyComponentName,
  type Plane,
  SPEC_SECTION,
} from '../../../control-plane/plane/plane.ts'
import {
  COMPONENT_LABEL,
  KEEPER_LABELS,
  KEEPER_NAME,
  MANAGED_BY,
  objectName,
  PLACE_LABEL,
  PLANE_LABEL,
  SHARED_LABEL,
  SYNCED_BY_LABEL,
  SYNCER,
} from '../../../manifests/object-names.ts'
import { objectPath } from '../../../shared/kube/collections.ts'

/** Annotation of a namespace that vplane created: the id of the plane for which it was created. */
export const CREATED_FOR = 'vplane.dev/created-for'

/** Type of the Secrets with the records of planes, by which they are listed. */
export const RECORD_TYPE = 'vplane.dev/record'

/** A plane in its host namespace. */
export interface PlacedName {
  name: string
  namespace: string
}

/** Returns the place and the id of a plane. */
export function toPlace({
  id = '',
  name,
  namespace = '',
}: Pick<Plane, 'name' | 'namespace'> & { id?: string }): { id: string; place: PlacedName } {
  return { id, place: { name, namespace } }
}

/** Returns the name of the Secret with a plane's record. */
export function recordName(plane: string): string {
  return objectName(plane, 'record')
}

/** Selects all objects of the planes; of every plane when none is given. */
export function planeSelector(...planes: readonly string[]): string {
  const managed = `${MANAGED_BY}=vplane`
  switch (planes.length) {
    case 0:
      return managed
    case 1:
      return `${managed},${PLANE_LABEL}=${planes[0]}`
    default:
      return `${managed},${PLANE_LABEL} in (${planes.join(',')})`
  }
}

/** Selects the objects of all planes, but not what planes share. */
export const ANY_PLANE_SELECTOR = `${planeSelector()},${PLANE_LABEL}`

/** Selects the cluster-wide objects of a plane. */
export function clusterWideSelector({ name, namespace }: PlacedName): string {
  return `${planeSelector(name)},${PLACE_LABEL}=${namespace}`
}

/** Selects the objects that the syncer of a plane created. */
export function syncedSelector(plane: string): string {
  return `${MANAGED_BY}=${SYNCER},${SYNCED_BY_LABEL}=${plane}`
}

interface Labelled {
  metadata: { labels?: Record<string, string> }
}

/** Whether the syncer of a plane created an object. */
export function isSynced({ metadata: { labels = {} } }: Labelled, plane: string): boolean {
  return labels[MANAGED_BY] === SYNCER && labels[SYNCED_BY_LABEL] === plane
}

/** Whether vplane created an object for a plane. */
export function isOfPlane({ metadata: { labels = {} } }: Labelled, plane: string): boolean {
  return labels[MANAGED_BY] === 'vplane' && labels[PLANE_LABEL] === plane
}

/** Whether vplane created an object for all planes of its namespace, or the host derived it from such an object. */
export function isShared({ metadata: { labels = {} } }: Labelled): boolean {
  return labels[MANAGED_BY] === 'vplane' && labels[SHARED_LABEL] !== undefined
}

/** Selects the objects and pods of one component of a plane; those of its keeper are of its namespace. */
export function componentSelector(plane: string, component: AnyComponentName): string {
  return component === 'keeper' ? KEEPER_SELECTOR : ownSelector(plane, component)
}

/** Selects those that a plane does not share. */
export function ownSelector(plane: string, component: AnyComponentName): string {
  return `${planeSelector(plane)},${COMPONENT_LABEL}=${component}`
}

/** Selects what has all of these labels. */
export function labelsSelector(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([label, value]) => `${label}=${value}`)
    .join(',')
}

/** Selects the objects and pods of the keeper of a namespace. */
export const KEEPER_SELECTOR = labelsSelector(KEEPER_LABELS)

/** Selects all that the planes of a namespace share: its keeper and its gateway. */
export const SHARED_SELECTOR = `${MANAGED_BY}=vplane,${SHARED_LABEL}`

/** Returns the path of the Deployment of a namespace's keeper. */
export function keeperPath(namespace: string): string {
  return objectPath('deployments', { name: KEEPER_NAME, namespace })
}

/** Returns the path of the settings of a plane for its keeper. */
export function settingsPath({ name, namespace }: PlacedName): string {
  return objectPath('configmaps', { name: objectName(name, 'keeper-settings'), namespace })
}

/** Returns the section of a spec for a component, as `--set` names it. */
export function specPathOf(component: AnyComponentName | undefined): string | undefined {
  return component === undefined ? undefined : SPEC_SECTION[component]
}
