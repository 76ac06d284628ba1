import { omitUndefined } from '../../shared/omit-undefined.ts'
import { packageVersion } from '../../shared/package-root.ts'
import { isLater } from '../../shared/text/version-order.ts'
import type { DataFingerprint } from './data-fingerprint.ts'
import type { DriverName } from '../spec/driver-name.ts'
import type { PlaneSpec, UserSpec } from '../spec/spec.ts'
import { ownStoreOf } from '../store/store.ts'

/** The components that serve the API of a plane with etcd, in the order in which they start; they stop in reverse order. */
export const COMPONENT_NAMES = ['etcd', 'kube-apiserver', 'kube-controller-manager'] as const
export type ComponentName = (typeof COMPONENT_NAMES)[number]

/** The same, and what a plane with another store has instead of etcd. */
export const SERVING_NAMES = ['etcd', 'kine', 'kube-apiserver', 'kube-controller-manager'] as const
export type ServingName = (typeof SERVING_NAMES)[number]

/** The components that are Kubernetes programs, including the scheduler that a plane with pods can have. */
export type ProgramName = ComponentName | 'kube-scheduler'

/** The same, and what can store the data of a plane instead of etcd: all components with a program that is not vplane's. */
export type HostedName = ProgramName | 'kine'

/** All components that a plane can have, in the order in which they start: a scheduler needs the nodes that the syncer creates. */
export const ALL_COMPONENT_NAMES = [...SERVING_NAMES, 'syncer', 'kube-scheduler', 'keeper'] as const
export type AnyComponentName = (typeof ALL_COMPONENT_NAMES)[number]

/** The field of a spec that configures each component, as in `--set`. */
export const SPEC_SECTION = {
  etcd: 'etcd',
  kine: 'store',
  'kube-apiserver': 'apiServer',
  'kube-controller-manager': 'controllerManager',
  syncer: 'sync',
  'kube-scheduler': 'scheduler',
  keeper: 'keeper',
} as const satisfies Record<AnyComponentName, keyof UserSpec>

/** The components of a plane with this spec, in the order in which they start. */
export function componentsOf({
  host,
  store,
}: Pick<PlaneSpec, 'host' | 'store'>): readonly AnyComponentName[] {
  const ofStore = ownStoreOf({ store })
  return ALL_COMPONENT_NAMES.filter(
    (name) =>
      ((name !== 'etcd' && name !== 'kine') || name === ofStore) &&
      (name !== 'syncer' || host?.sync !== undefined) &&
      (name !== 'kube-scheduler' || host?.scheduler !== undefined) &&
      (name !== 'keeper' || host?.keeper !== undefined),
  )
}

/** The components that serve the API of a plane with this spec, in the order in which they start. */
export function servingOf({ store }: Pick<PlaneSpec, 'store'>): readonly ServingName[] {
  const ofStore = ownStoreOf({ store })
  return [...(ofStore === undefined ? [] : [ofStore]), 'kube-apiserver', 'kube-controller-manager']
}

/** Those with pods of the plane alone: its keeper is that of its namespace. */
export function ownComponentsOf(
  spec: Pick<PlaneSpec, 'host' | 'store'>,
): readonly AnyComponentName[] {
  return componentsOf(spec).filter((name) => name !== 'keeper')
}

/** Identifies a plane among all drivers and namespaces. */
export interface PlaneReference {
  name: string
  driver: DriverName
  /** Host namespace; only with the `kubernetes` driver. */
  namespace?: string
  /** Context of the host cluster; only with the `kubernetes` driver. */
  hostContext?: string
}

/** The reference to a plane, without its other fields. */
export function referenceOf(plane: PlaneReference): PlaneReference {
  const { driver, hostContext, name, namespace } = plane
  return omitUndefined({ name, driver, namespace, hostContext })
}

/** Whether two references identify the same plane. */
export function isSamePlane(one: PlaneReference, other: PlaneReference): boolean {
  return (
    one.name === other.name &&
    one.driver === other.driver &&
    one.namespace === other.namespace &&
    one.hostContext === other.hostContext
  )
}

/** The progress of a plane's move; its presence means that the plane is fenced. */
export interface PlaneMove {
  to: PlaneReference
  /** Id of the plane at the destination, which has accepted the data and all writes since. @default none has yet */
  handedTo?: string
  /** The data at that time; as long as the plane at the destination has the same, it has no new writes. */
  handed?: DataFingerprint
  /** It was paused when it was fenced, and must be paused again. @default it ran */
  wasPaused?: boolean
}

/** A plane as it is stored: its desired state, not its current one. */
export interface Plane extends PlaneReference {
  /** Unique over all time: a plane that was deleted and created again has another. */
  id: string
  createdAt: Date
  /** The version of vplane that last wrote the stored state. */
  writtenBy: string
  /** The version of vplane whose templates and flags it runs with, if that is another one. @default writtenBy */
  madeBy?: string
  userSpec: UserSpec
  spec: PlaneSpec
  desired: 'running' | 'paused'
  /** The UID of the ControlPlane that declares it: changes go through that. @default none does */
  declaredBy?: string | undefined
  /** When it was last used before it paused itself. @default it runs, or a user paused it */
  idleSince?: Date
  /** It was created paused and has not run since, so it has no data. @default it has run, or is to run */
  neverStarted?: boolean
  /** What was begun on it and not finished, the strictest first. @default nothing */
  unfinished?: readonly UnfinishedKind[]
  /** A restore of it was interrupted, and only a restore starts it. @default none was */
  restoring?: PlaneRestore
  /** It is fenced, during a move and afterwards: nothing may start it. */
  movingTo?: PlaneMove
  /** Id of the plane that is being moved here; until the move is complete, nothing may start this one. */
  movingFrom?: string
  /** The user's folder with its binaries; only with the local driver. */
  binDir?: string
}

/** A restore that was begun and not finished. */
export interface PlaneRestore {
  /** The snapshot, as a user names it. @default unknown */
  from?: string
  /** The plane was created for it, from a bundle, so it had no other data. @default false */
  isCreation?: boolean
}

/** Something that was begun on a plane and not finished, or that lasts until a certain command ends it. */
export type UnfinishedKind =
  | 'creation'
  | 'change'
  /** A stage of a rotation. */
  | 'rotation'
  | 'restore'
  /** A move to this place. */
  | 'arrival'
  /** A repair of an etcd without a majority. */
  | 'majority'
  /** A move to another place, or that it was moved there. */
  | 'departure'
  | 'deletion'
  /** An operation that leaves nothing for others to respect, such as a pause. */
  | 'other'

/** The plane in the desired state "running", without the records of pauses, restores and moves. */
export function asRunning(plane: Plane): Plane {
  const {
    idleSince: _idle,
    movingFrom: _from,
    movingTo: _to,
    neverStarted: _never,
    restoring: _restoring,
    unfinished: _unfinished,
    ...rest
  } = plane
  return { ...rest, desired: 'running' }
}

/** Whether a plane was created to the end. */
export function isCreated({
  unfinished,
}: {
  unfinished?: readonly UnfinishedKind[] | undefined
}): boolean {
  return unfinished?.includes('creation') !== true
}

/** Whether the ControlPlane of a plane pauses it: its operator would pause it again after a start. */
export function isPausedByDeclaration({
  declaredBy,
  desired,
  idleSince,
}: Pick<Plane, 'declaredBy' | 'desired' | 'idleSince'>): boolean {
  return declaredBy !== undefined && desired === 'paused' && idleSince === undefined
}

/** Whether a plane runs with the templates and flags of an earlier vplane. */
export function isOutdated({ madeBy, writtenBy }: Pick<Plane, 'madeBy' | 'writtenBy'>): boolean {
  return isLater(packageVersion(), madeBy ?? writtenBy)
}

export interface Endpoint {
  server: string
  /** CA bundle, PEM. */
  certificateAuthority: string
  /** The address works only until this process ends, such as that of a tunnel in the process. @default false */
  isTransient?: boolean
}

/** A client certificate for a plane's API, PEM. */
export interface ClientCredential {
  certificate: string
  key: string
  expiresAt: Date
}

export interface Identity {
  user: string
  groups: readonly string[]
}

/** The identity in contexts: kube-apiserver's RBAC bootstrap binds its group to cluster-admin. */
export const ADMIN: Identity = { user: 'vplane-admin', groups: ['system:masters'] }

/** The identity of the keeper in a plane; its requests do not count as use of the plane. */
export const KEEPER: Identity = { user: 'system:vplane:keeper', groups: ['system:masters'] }

/** Whether a plane has an address outside of its host, beside that of a tunnel. */
export function isExposed({ spec }: Pick<Plane, 'spec'>): boolean {
  return (spec.host?.expose.type ?? 'none') !== 'none'
}
