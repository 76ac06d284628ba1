import type { Hint } from '../../shared/hint.ts'
import type { PlaneReference } from './plane.ts'

/** The name of a component for people: the plane's DNS server is in the pods of its syncer, and restarts with it. */
export function componentWords(component: string): string {
  return component === 'syncer' ? 'syncer and CoreDNS' : component
}

/** The options of a move to the place of `plane`. */
export function moveOptions({ driver, hostContext, namespace }: PlaneReference) {
  return namespace === undefined
    ? { toDriver: driver }
    : { toContext: hostContext, toNamespace: namespace }
}

/** The options that select a plane among others of its name; `withHost` adds the host context. */
export function placeOptions(
  { driver, hostContext, namespace }: PlaneReference,
  { withHost }: { withHost: boolean },
) {
  return {
    ...(namespace === undefined ? { driver } : { namespace }),
    ...(withHost ? { hostContext } : {}),
  }
}

/** Hints for a deleted plane whose data was kept. */
export function retainedDataHints(plane: PlaneReference): Hint[] {
  return [
    { action: 'create', plane, adopt: true },
    { action: 'delete', plane },
  ]
}

/** Where a plane is, for people: `driver kubernetes, namespace team`. */
export function placeOf({ driver, hostContext, namespace }: PlaneReference): string {
  const parts = [
    `driver ${driver}`,
    ...(namespace === undefined ? [] : [`namespace ${namespace}`]),
    ...(hostContext === undefined ? [] : [`host context ${hostContext}`]),
  ]
  return parts.join(', ')
}
