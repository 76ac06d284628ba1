import type { ComponentName } from '../../control-plane/plane.ts'
import { COMPONENT_LABEL, MANAGED_BY, PLANE_LABEL } from '../../manifests/object-names.ts'

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
  return `vplane-${plane}-record`
}

/** Name of the Lease that whoever changes a plane holds. */
export function lockName(plane: string): string {
  return `vplane-${plane}-lock`
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

/** Selects what belongs to one component of a plane. */
export function componentSelector(plane: string, component: ComponentName): string {
  return `${planeSelector(plane)},${COMPONENT_LABEL}=${component}`
}
