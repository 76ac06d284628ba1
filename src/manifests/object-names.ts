import type { AnyComponentName, ProgramName } from '../control-plane/plane/plane.ts'

/** On every object and pod of vplane, with the value `vplane`. */
export const MANAGED_BY = 'app.kubernetes.io/managed-by'
/** On every object and pod of a plane: its name. */
export const PLANE_LABEL = 'vplane.dev/name'
/** On objects of a plane that are of no namespace: that of the plane. */
export const PLACE_LABEL = 'vplane.dev/namespace'
/** On the objects and pods of one component. */
export const COMPONENT_LABEL = 'vplane.dev/component'

/** On every host object that a syncer made: the name of its plane. What a plane itself is made of has other labels. */
export const SYNCED_BY_LABEL = 'vplane.dev/synced-by'
/** The value of `MANAGED_BY` there. */
export const SYNCER = 'vplane-syncer'
/** Annotations there: which object of the plane it stands for. */
export const NAME_ANNOTATION = 'vplane.dev/virtual-name'
export const NAMESPACE_ANNOTATION = 'vplane.dev/virtual-namespace'
export const UID_ANNOTATION = 'vplane.dev/virtual-uid'

/**
 * On the host claims that were there when their plane was restored: the plane may not know them any more, and that is no
 * deletion. The syncer takes it from those that the plane knows.
 */
export const RESTORED_ANNOTATION = 'vplane.dev/before-restore'

/** What the names of a plane's objects end with. */
export type ObjectSuffix =
  | ProgramName
  | 'api'
  | 'etcd-peers'
  | 'etcd-access'
  | 'ca'
  | 'syncer'
  | 'syncer-extra'
  | 'syncer-metrics'
  | 'dns'
  | 'keeper'
  | 'keeper-status'
  | 'keeper-members'
  | 'keeper-idle'
  | 'keeper-volumes'
  | 'keeper-renew'
  | 'image-check'
  | 'lock'
  | 'record'

/**
 * The name of a plane's object: `vplane-dev-etcd`. No suffix ends with another one, so that the objects of two planes
 * never have the same name.
 */
export function objectName(plane: string, suffix: ObjectSuffix): string {
  return `vplane-${plane}-${suffix}`
}

/** Names of the Secrets that hold the certificates and keys of a plane with some components. */
export function secretNames(plane: string, components: readonly AnyComponentName[]): string[] {
  return [objectName(plane, 'ca'), ...components.map((component) => objectName(plane, component))]
}

/** Name of the Lease that whoever changes a plane holds. */
export function lockName(plane: string): string {
  return `vplane-${plane}-lock`
}

/**
 * The name of a plane's object that is of no namespace, such as a ClusterRole: `vplane:team-a:dev:syncer`. No other
 * plane's has it, as there is no colon in the names of planes and namespaces.
 */
export function clusterObjectName(
  { name, namespace }: { name: string; namespace: string },
  suffix: 'syncer',
): string {
  return ['vplane', namespace, name, suffix].join(':')
}

/** The labels of every object of a plane, and of one component when it belongs to it. */
export function objectLabels(plane: string, component?: ProgramName): Record<string, string> {
  return {
    [MANAGED_BY]: 'vplane',
    [PLANE_LABEL]: plane,
    ...(component === undefined ? {} : { [COMPONENT_LABEL]: component }),
  }
}
