import type { AnyComponentName } from '../../../control-plane/plane/plane.ts'
import {
  COMPONENT_LABEL,
  MANAGED_BY,
  objectName,
  PLACE_LABEL,
  PLANE_LABEL,
  SYNCED_BY_LABEL,
  SYNCER,
} from '../../../manifests/object-names.ts'

/** On a namespace that vplane made: the id of the plane that it was made for. */
export const CREATED_FOR = 'vplane.dev/created-for'

/** Type of the Secrets that hold the record of a plane: they can be listed apart from all others. */
export const RECORD_TYPE = 'vplane.dev/record'

/** A plane in its host namespace. */
export interface PlacedName {
  name: string
  namespace: string
}

/** Name of the Secret that holds a plane's record. */
export function recordName(plane: string): string {
  return objectName(plane, 'record')
}

/** Selects all objects of some planes; of every plane when none is named. */
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

/** Selects the objects of a plane that are of no namespace. */
export function clusterWideSelector({ name, namespace }: PlacedName): string {
  return `${planeSelector(name)},${PLACE_LABEL}=${namespace}`
}

/** Selects what the syncer of a plane has made. */
export function syncedSelector(plane: string): string {
  return `${MANAGED_BY}=${SYNCER},${SYNCED_BY_LABEL}=${plane}`
}

/** Tells whether the syncer of a plane has made an object. */
export function isSynced(
  { metadata }: { metadata: { labels?: Record<string, string> } },
  plane: string,
): boolean {
  const { labels = {} } = metadata
  return labels[MANAGED_BY] === SYNCER && labels[SYNCED_BY_LABEL] === plane
}

/** Tells whether an object is one that a plane is made of. */
export function isOfPlane(
  { metadata }: { metadata: { labels?: Record<string, string> } },
  plane: string,
): boolean {
  const { labels = {} } = metadata
  return labels[MANAGED_BY] === 'vplane' && labels[PLANE_LABEL] === plane
}

/** Selects what belongs to one component of a plane. */
export function componentSelector(plane: string, component: AnyComponentName): string {
  return `${planeSelector(plane)},${COMPONENT_LABEL}=${component}`
}
