import type { ComponentName } from '../control-plane/plane.ts'

/** On every object and pod of vplane, with the value `vplane`. */
export const MANAGED_BY = 'app.kubernetes.io/managed-by'
/** On every object and pod of a plane: its name. */
export const PLANE_LABEL = 'vplane.dev/name'
/** On the objects and pods of one component. */
export const COMPONENT_LABEL = 'vplane.dev/component'

/** What the names of the objects made from templates end with. */
export type ObjectSuffix = ComponentName | 'api' | 'etcd-peers' | 'etcd-access' | 'ca'

/**
 * The name of a plane's object: `vplane-dev-etcd`. No suffix ends with another one, so that the objects of two planes
 * never have the same name.
 */
export function objectName(plane: string, suffix: ObjectSuffix): string {
  return `vplane-${plane}-${suffix}`
}

/** The labels of every object of a plane, and of one component when it belongs to it. */
export function objectLabels(plane: string, component?: ComponentName): Record<string, string> {
  return {
    [MANAGED_BY]: 'vplane',
    [PLANE_LABEL]: plane,
    ...(component === undefined ? {} : { [COMPONENT_LABEL]: component }),
  }
}
