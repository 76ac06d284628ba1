import type { AnyComponentName } from '../plane/plane.ts'
import type { Hint } from '../../shared/hint.ts'

/**
 * The remedy for a fault.
 *
 * - `start`: missing objects or processes are created again and started.
 * - `restart`: a pod or process that hangs is stopped, and starts again.
 * - `replace`: an etcd member gets the data of the others.
 * - `remove`: a member that does not belong to the plane is removed from etcd.
 * - `free-space`: etcd compacts old revisions, releases their space, and accepts writes again.
 * - `disarm`: alarms of etcd whose cause is gone are disarmed.
 * - `choose`: etcd has lost its majority. Each remedy may lose data, so the user decides.
 * - `restore`: no data exists, so a snapshot is necessary.
 * - `none`: the cause is outside the plane, such as an image that cannot be pulled.
 */
export type Remedy =
  | 'start'
  | 'restart'
  | 'replace'
  | 'remove'
  | 'free-space'
  | 'disarm'
  | 'choose'
  | 'restore'
  | 'none'

export interface PlaneFault {
  component: AnyComponentName
  /** The pod, the process, or the component as a whole. */
  instance: string
  /** One line that follows the instance in a sentence: `its data is lost`. */
  reason: string
  remedy: Remedy
  /** @default [] */
  hints?: readonly Hint[]
}

/** A member with data of an etcd without majority. */
export interface Survivor {
  instance: string
  /** The latest revision that it is known to have. */
  revision: number
  /** It serves no data without a majority; its log may have later revisions. @default false */
  isWaiting?: boolean
}

/** All faults of a plane, in the order in which they are repaired. */
export interface Diagnosis {
  faults: PlaneFault[]
  /** The members with data, the latest first, after a lost majority. @default it is not lost */
  survivors?: Survivor[]
  /** A restore of etcd from survivors was interrupted, and must be continued. @default false */
  isUnfinished?: boolean
}
