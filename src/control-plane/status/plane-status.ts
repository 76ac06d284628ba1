import type { BackupStatus } from './backup-status.ts'
import type { PlaneAlarm } from './plane-alarms.ts'
import type { AnyComponentName } from '../plane/plane.ts'
import type { Hint } from '../../shared/hint.ts'

/**
 * How a plane is, looked up.
 *
 * - `Creating`: an operation made its first steps and holds the plane, or was cut off: running create again goes on.
 * - `Starting`: all components run, the API does not answer yet.
 * - `Ready`: the API answers `/readyz` and every component is healthy.
 * - `NotReady`: wanted to run, and something is wrong; `reason` says what.
 * - `Stopped`: wanted to run, no component does (a reboot): any use of it starts it.
 * - `Paused`: at rest, because the user said so, or because nobody used it; `reason` says so then.
 * - `Fenced`: it is being moved, or was, and its data kept; nothing starts it. `reason` says where to.
 * - `Kept`: it was deleted and its data kept: create makes it again of that.
 * - `Unreadable`: its stored state cannot be read; `reason` says why.
 */
export type PlanePhase =
  | 'Creating'
  | 'Starting'
  | 'Ready'
  | 'NotReady'
  | 'Stopped'
  | 'Paused'
  | 'Fenced'
  | 'Kept'
  | 'Unreadable'

export interface ComponentStatus {
  name: AnyComponentName
  state: 'running' | 'starting' | 'stopped' | 'failed'
  /** Why it is not running, or not in full, in one line. */
  reason?: string
  /** Where it runs: a process id or a pod name. */
  instance?: string
  startedAt?: Date
  /** Where it listens: `127.0.0.1:20443`. */
  address?: string
  /** How many instances are wanted and ready; only with the `kubernetes` driver. */
  replicas?: { wanted: number; ready: number }
  /** The image it runs; only with the `kubernetes` driver. */
  image?: string
}

/** Something that the host cluster noted about an object of a plane. */
export interface PlaneEvent {
  /** When it happened last. */
  at: Date
  level: 'normal' | 'warning'
  /** Kind and name: `Pod/vplane-dev-etcd-0`. */
  object: string
  /** One word: `FailedScheduling`. */
  reason: string
  message: string
  /** How often it happened. */
  count: number
}

export interface PlaneStatus {
  phase: PlanePhase
  /** Why it is not ready, in one line. */
  reason?: string
  /** What to do about that, where somebody knows. @default [] */
  hints?: readonly Hint[]
  components: ComponentStatus[]
  /** When the first of its certificates ends. */
  certificatesExpireAt?: Date
  /** Where the API is: `https://127.0.0.1:20443`. */
  server?: string
  /** Every address of the API, in the host cluster and outside; only with the `kubernetes` driver. */
  endpoints?: string[]
  /** How its backups stand; only of a plane that is backed up. */
  backup?: BackupStatus
  /** When it was seen last that somebody uses it; only of a plane that pauses itself. */
  usedAt?: Date
  /** What its keeper finds wrong; only of a plane that has one and is to run. */
  alarms?: readonly PlaneAlarm[]
  /** Of the last hour, the latest last; only when they were asked for. */
  events?: PlaneEvent[]
}
