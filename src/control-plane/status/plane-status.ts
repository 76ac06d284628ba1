import type { BackupStatus } from './backup-status.ts'
import type { PlaneAlarm } from './plane-alarms.ts'
import type { AnyComponentName } from '../plane/plane.ts'
import { wakesForAny } from '../plane/is-woken-by-any.ts'
import type { PlaneSpec } from '../spec/spec.ts'
import type { WakeStatus } from './wake-status.ts'
import type { Hint } from '../../shared/hint.ts'

/**
 * The observed state of a plane.
 *
 * - `Creating`: its creation is in progress, or was interrupted: another `create` continues it.
 * - `Starting`: all components run, but the API does not answer yet.
 * - `Ready`: the API answers `/readyz`, and every component is healthy.
 * - `Changing`: a change, repair, restore, rotation or move is under way: `operation` says which step.
 * - `NotReady`: it should run, and has a fault: see `reason`.
 * - `Stopped`: it should run, but no component does, such as after a reboot: any use starts it.
 * - `Paused`: a user paused it, or it paused itself: `reason` is set then.
 * - `Fenced`: it is being moved, or was moved and its data was kept; nothing can start it. `reason` names the destination.
 * - `Kept`: it was deleted, but its data was kept: `create` can adopt the data.
 * - `Unreadable`: its stored state cannot be read: see `reason`.
 */
export type PlanePhase =
  | 'Creating'
  | 'Starting'
  | 'Ready'
  | 'Changing'
  | 'NotReady'
  | 'Stopped'
  | 'Paused'
  | 'Fenced'
  | 'Kept'
  | 'Unreadable'

/** Whether the NetworkPolicies of a host have an effect: not every network plugin enforces them. */
export type NetworkPolicyEffect = 'enforced' | 'ignored'

export interface ComponentStatus {
  name: AnyComponentName
  state: 'running' | 'starting' | 'stopped' | 'failed'
  /** Why it does not run, or only some instances do, in one line. */
  reason?: string
  /** A process id or the name of a pod. */
  instance?: string
  startedAt?: Date
  /** `127.0.0.1:20443` */
  address?: string
  /** Only with the `kubernetes` driver. */
  replicas?: { wanted: number; ready: number }
  /** Only with the `kubernetes` driver. */
  image?: string
}

/** An Event of the host cluster about an object of a plane, or what the keeper on this machine did and saw. */
export interface PlaneEvent {
  /** The last time. */
  at: Date
  level: 'normal' | 'warning'
  /** Kind and name: `Pod/vplane-dev-etcd-0`; on this machine always the plane. */
  object: string
  /** One word: `FailedScheduling`. */
  reason: string
  message: string
  count: number
}

/** An operation that is under way on a plane, or was interrupted. */
export interface OperationStatus {
  /** `change`, `repair`. */
  kind: string
  /** The last step that began, for people. */
  step: string
  /** When it began, or was continued, by the clock of its vplane. */
  since: Date
  /** When that step began. */
  at: Date
  /** The vplane that does it: machine, process and a unique id. */
  holder: string
  /** No vplane continues it by itself. */
  isInterrupted: boolean
  /** The commands that continue it; empty while it is under way. */
  hints: readonly Hint[]
}

export interface PlaneStatus {
  phase: PlanePhase
  /** Why it is not ready, in one line. */
  reason?: string
  /** @default [] */
  hints?: readonly Hint[]
  components: ComponentStatus[]
  /** The earliest expiry of its certificates. */
  certificatesExpireAt?: Date
  server?: string
  /** Whether the API answers this machine that it is ready. @default it was not asked */
  isApiReady?: boolean
  /** Every address of the API, inside and outside the host cluster; only with the `kubernetes` driver. */
  endpoints?: string[]
  /** Only if it has backups. */
  backup?: BackupStatus
  /** The last known use; only if it pauses itself. */
  usedAt?: Date
  /** Only if any client wakes it. */
  wakes?: WakeStatus
  /** The alarms of its keeper; only if it has one and is to run. */
  alarms?: readonly PlaneAlarm[]
  /** As its syncer found; only if it runs pods, and on request. */
  networkPolicies?: NetworkPolicyEffect
  /** Those of the last hour, the latest last; only on request. */
  events?: PlaneEvent[]
  /** @default none */
  operation?: OperationStatus
}

/** Why a plane is paused; no reason for one that a user paused. */
export function pausedReason({
  declaredBy,
  idleSince,
  isNew,
  spec,
}: {
  declaredBy?: string | undefined
  idleSince?: string | undefined
  /** It was never started. */
  isNew: boolean
  spec: Pick<PlaneSpec, 'wake'>
}): Pick<PlaneStatus, 'reason'> {
  const use = wakesForAny(spec) ? 'any client that connects' : 'any use of its context'
  if (isNew && declaredBy !== undefined) {
    return { reason: 'it was never started; its ControlPlane pauses it' }
  }
  if (isNew) {
    return { reason: `it was never started; ${use} starts it` }
  }
  return idleSince === undefined
    ? {}
    : { reason: `nobody has used it since ${idleSince}; ${use} starts it` }
}
