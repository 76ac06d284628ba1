import type { Hint } from '../../shared/hint.ts'
import type { PlaneReference } from './plane.ts'

/** The options by which a plane is moved to a place. */
export function moveOptions({ driver, hostContext, namespace }: PlaneReference) {
  return namespace === undefined
    ? { toDriver: driver }
    : { toContext: hostContext, toNamespace: namespace }
}

/** The options that tell a plane from others of its name; its host context is needed only when there are several. */
export function placeOptions(
  { driver, hostContext, namespace }: PlaneReference,
  { withHost }: { withHost: boolean },
) {
  return {
    ...(namespace === undefined ? { driver } : { namespace }),
    ...(withHost ? { hostContext } : {}),
  }
}

/** What can be done with a plane of which only the data is there. */
export function retainedDataHints(plane: PlaneReference): Hint[] {
  return [
    { action: 'create', plane, adopt: true },
    { action: 'delete', plane },
  ]
}

/** Where a plane is, in words. */
export function placeOf({ driver, hostContext, namespace }: PlaneReference): string {
  const parts = [
    `driver ${driver}`,
    ...(namespace === undefined ? [] : [`namespace ${namespace}`]),
    ...(hostContext === undefined ? [] : [`host context ${hostContext}`]),
  ]
  return parts.join(', ')
}
