import type { AnyComponentName, ProgramName } from '../control-plane/plane/plane.ts'

/** The label of every object and pod of vplane, with the value `vplane`. */
export const MANAGED_BY = 'app.kubernetes.io/managed-by'
/** The label of every object and pod of a plane, with the plane's name. */
export const PLANE_LABEL = 'vplane.dev/name'
/** The label of a plane's cluster-scoped objects, with the plane's namespace. */
export const PLACE_LABEL = 'vplane.dev/namespace'
/** The label of the objects and pods of one component. */
export const COMPONENT_LABEL = 'vplane.dev/component'

/** The label of what all planes of a namespace share, with what it is. These objects and pods lack `PLANE_LABEL`. */
export const SHARED_LABEL = 'vplane.dev/shared'
/** The name of the objects of a namespace's keeper. Names of planes' objects have one more part. */
export const KEEPER_NAME = 'vplane-keeper'
/** The annotation of its Deployment with the version of the vplane that applied it. */
export const KEEPER_VERSION = 'vplane.dev/version'
/** The name of the objects of a namespace's gateway. */
export const GATEWAY_NAME = 'vplane-gateway'
/** The name of the objects of an operator's gateway, which is for its planes in all namespaces. */
export const OPERATOR_GATEWAY = 'vplane-operator-gateway'
/** The label of the settings of a plane for its keeper: whether it needs the keeper now. */
export const KEPT_LABEL = 'vplane.dev/kept'

/** The label of every host object that a syncer created, with the plane's name. Other objects of a plane lack it. */
export const SYNCED_BY_LABEL = 'vplane.dev/synced-by'
/** The value of `MANAGED_BY` on these objects. */
export const SYNCER = 'vplane-syncer'
/** The annotations of these objects that name their virtual objects. */
export const NAME_ANNOTATION = 'vplane.dev/virtual-name'
export const NAMESPACE_ANNOTATION = 'vplane.dev/virtual-namespace'
export const UID_ANNOTATION = 'vplane.dev/virtual-uid'

/**
 * Marks host claims that existed when their plane was restored: that their virtual claims are missing is not a
 * deletion. The syncer removes the annotation from claims that the plane has.
 */
export const RESTORED_ANNOTATION = 'vplane.dev/before-restore'

export type ObjectSuffix =
  | ProgramName
  | 'kine'
  | 'kine-access'
  | 'kine-egress'
  | 'database'
  | 'database-egress'
  | 'api'
  | 'etcd-peers'
  | 'etcd-access'
  | 'kube-apiserver-egress'
  | 'ca'
  | 'syncer'
  | 'syncer-extra'
  | 'syncer-metrics'
  | 'syncer-status'
  | 'synced-pods'
  | 'synced-pods-egress'
  | 'synced-pods-ingress'
  | 'dns'
  | 'keeper'
  | 'keeper-settings'
  | 'keeper-status'
  | 'keeper-members'
  | 'keeper-idle'
  | 'keeper-wake'
  | 'keeper-volumes'
  | 'keeper-renew'
  | 'keeper-credentials'
  | 'keeper-addresses'
  | 'image-check'
  | 'lock'
  | 'record'

/** `vplane-dev-etcd`; unique among planes, as no suffix ends with another one. */
export function objectName(plane: string, suffix: ObjectSuffix): string {
  return `vplane-${plane}-${suffix}`
}

/** The names of the Secrets with the certificates and keys of a plane with these components. */
export function secretNames(plane: string, components: readonly AnyComponentName[]): string[] {
  return [objectName(plane, 'ca'), ...components.map((component) => objectName(plane, component))]
}

/** The name of the Lease that is held while a plane is changed. */
export function lockName(plane: string): string {
  return `vplane-${plane}-lock`
}

/**
 * The name of a cluster-scoped object: `vplane:team-a:dev:syncer`. It is unique, because names of planes and namespaces
 * have no colons.
 */
export function clusterObjectName(
  { name, namespace }: { name: string; namespace: string },
  suffix: 'syncer',
): string {
  return ['vplane', namespace, name, suffix].join(':')
}

/** The labels of every object of a plane, or of one of its components. */
export function objectLabels(plane: string, component?: AnyComponentName): Record<string, string> {
  return {
    [MANAGED_BY]: 'vplane',
    ...(component === undefined ? { [PLANE_LABEL]: plane } : selectorLabels(plane, component)),
  }
}

/** The labels that select the pods of a component of a plane. */
export function selectorLabels(plane: string, component: AnyComponentName): Record<string, string> {
  return { [PLANE_LABEL]: plane, [COMPONENT_LABEL]: component }
}

/** The labels of the objects and pods of a namespace's keeper, which also select them. */
export const KEEPER_LABELS: Readonly<Record<string, string>> = {
  [MANAGED_BY]: 'vplane',
  [SHARED_LABEL]: 'keeper',
}

/** The labels of the objects and pods of a namespace's gateway, which also select them. */
export const GATEWAY_LABELS: Readonly<Record<string, string>> = {
  [MANAGED_BY]: 'vplane',
  [SHARED_LABEL]: 'gateway',
}

/**
 * The labels of the objects and pods of an operator's gateway. A keeper does not know them: a namespace may have both
 * gateways.
 */
export const OPERATOR_GATEWAY_LABELS: Readonly<Record<string, string>> = {
  [MANAGED_BY]: 'vplane',
  'app.kubernetes.io/name': OPERATOR_GATEWAY,
}
