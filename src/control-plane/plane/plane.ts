import { packageVersion } from '../../shared/package-root.ts'
import { isLater } from '../../shared/text/version-order.ts'
import type { DataFingerprint } from './data-fingerprint.ts'
import type { DriverName } from '../spec/driver-name.ts'
import type { HostSpec } from '../spec/fields/host-spec.ts'
import type { PlaneSpec, UserSpec } from '../spec/spec.ts'

/** The components that every plane has, in the order of their start; stopping goes the other way. */
export const COMPONENT_NAMES = ['etcd', 'kube-apiserver', 'kube-controller-manager'] as const
export type ComponentName = (typeof COMPONENT_NAMES)[number]

/** The components that are programs of upstream: those, and the scheduler that a plane with pods may have. */
export type ProgramName = ComponentName | 'kube-scheduler'

/** All components that a plane may have, in the order of their start: a scheduler needs nodes, which the syncer shows. */
export const ALL_COMPONENT_NAMES = [
  ...COMPONENT_NAMES,
  'syncer',
  'kube-scheduler',
  'keeper',
] as const
export type AnyComponentName = (typeof ALL_COMPONENT_NAMES)[number]

/** The section of a spec that is about a component, as `--set` names it. */
export const SPEC_SECTION = {
  etcd: 'etcd',
  'kube-apiserver': 'apiServer',
  'kube-controller-manager': 'controllerManager',
  syncer: 'sync',
  'kube-scheduler': 'scheduler',
  keeper: 'keeper',
} as const satisfies Record<AnyComponentName, keyof HostSpec>

/** The components of a plane of some spec, in the order of their start. */
export function componentsOf({ host }: Pick<PlaneSpec, 'host'>): readonly AnyComponentName[] {
  return ALL_COMPONENT_NAMES.filter(
    (name) =>
      (name !== 'syncer' || host?.sync !== undefined) &&
      (name !== 'kube-scheduler' || host?.scheduler !== undefined) &&
      (name !== 'keeper' || host?.keeper !== undefined),
  )
}

/** Says which plane is meant, among all drivers and namespaces. */
export interface PlaneReference {
  name: string
  driver: DriverName
  /** Host namespace; only with the `kubernetes` driver. */
  namespace?: string
  /** Context of the host cluster; only with the `kubernetes` driver. */
  hostContext?: string
}

/** The reference to a plane, and nothing else of it. */
export function referenceOf({
  driver,
  hostContext,
  name,
  namespace,
}: PlaneReference): PlaneReference {
  return {
    name,
    driver,
    ...(namespace === undefined ? {} : { namespace }),
    ...(hostContext === undefined ? {} : { hostContext }),
  }
}

/** Tells whether two references mean the same plane, wherever it is. */
export function isSamePlane(one: PlaneReference, other: PlaneReference): boolean {
  return (
    one.name === other.name &&
    one.driver === other.driver &&
    one.namespace === other.namespace &&
    one.hostContext === other.hostContext
  )
}

/** How far the move of a plane has come that was fenced for it. */
export interface PlaneMove {
  to: PlaneReference
  /** Id of the plane that has taken its place, and all that is written since. @default it has not come so far */
  handedTo?: string
  /** What it had then: as long as the plane there has no more, nobody has written there. */
  handed?: DataFingerprint
  /** It was paused when it was fenced, and is to be paused again. @default it ran */
  wasPaused?: boolean
}

/** A plane as it is stored: what was asked for, not how it is. */
export interface Plane extends PlaneReference {
  /** Unique over all time: a plane that was deleted and made again has another. */
  id: string
  createdAt: Date
  /** The vplane that wrote the stored state last. */
  writtenBy: string
  /** The vplane by whose templates and flags it runs, when that is another one. @default writtenBy */
  madeBy?: string
  userSpec: UserSpec
  spec: PlaneSpec
  /** Whether the user wants it to run or to rest. */
  desired: 'running' | 'paused'
  /** It paused itself, as nobody had used it since then. @default it runs, or somebody paused it */
  idleSince?: Date
  /** A restore of it was cut off, and only another one starts it. @default false */
  isHalfRestored?: boolean
  /** It is fenced, to be moved or since it was: nothing starts it. */
  movingTo?: PlaneMove
  /** Id of the plane elsewhere that is being moved here; until that is done, nothing starts it. */
  movingFrom?: string
  /** Folder of the user that its binaries are taken from; only with the local driver. */
  binDir?: string
}

/** A plane once nothing keeps it from running any more. */
export function asRunning(plane: Plane): Plane {
  const {
    idleSince: _rested,
    isHalfRestored: _restored,
    movingFrom: _arrived,
    movingTo: _returned,
    ...rest
  } = plane
  return { ...rest, desired: 'running' }
}

/** Tells whether a plane runs by the templates and flags of an earlier vplane. */
export function isOutdated({ madeBy, writtenBy }: Pick<Plane, 'madeBy' | 'writtenBy'>): boolean {
  return isLater(packageVersion(), madeBy ?? writtenBy)
}

/** Where a plane's API is, and whom to trust there. */
export interface Endpoint {
  server: string
  /** CA bundle, PEM. */
  certificateAuthority: string
  /** The address ends with this process, such as that of a tunnel inside of it. @default false */
  isTransient?: boolean
}

/** A client certificate for a plane's API, PEM. */
export interface ClientCredential {
  certificate: string
  key: string
  expiresAt: Date
}

/** Whom a credential speaks for. */
export interface Identity {
  user: string
  groups: readonly string[]
}

/** The identity that `connect` and `kubeconfig` hand out: bound to cluster-admin by RBAC bootstrap of kube-apiserver. */
export const ADMIN: Identity = { user: 'vplane-admin', groups: ['system:masters'] }

/** Whom the keeper is in a plane: nobody counts what the API server does for this group as use of the plane. */
export const KEEPER: Identity = { user: 'system:vplane:keeper', groups: ['system:masters'] }
