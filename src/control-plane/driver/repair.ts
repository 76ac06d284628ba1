import type { AnyComponentName } from '../plane/plane.ts'
import type { Hint } from '../../shared/hint.ts'

/**
 * What puts a fault right.
 *
 * - `start`: what is missing is put back and started.
 * - `restart`: what is stuck is ended and comes back.
 * - `replace`: a member of etcd gets the data of the others.
 * - `remove`: a member that etcd has and the plane does not leaves etcd.
 * - `free-space`: etcd forgets old revisions, gives their space back, and takes writes again.
 * - `choose`: etcd has lost its majority, and what is done costs something: a person decides.
 * - `restore`: there is no data, so it has to come from a snapshot.
 * - `none`: the cause is outside of the plane, such as an image that cannot be had.
 */
export type Remedy =
  | 'start'
  | 'restart'
  | 'replace'
  | 'remove'
  | 'free-space'
  | 'choose'
  | 'restore'
  | 'none'

/** Something that is wrong with a plane. */
export interface PlaneFault {
  component: AnyComponentName
  /** What has it: a pod, a process, or the component as a whole. */
  instance: string
  /** As it reads after the instance, in one line: `its data is lost`. */
  reason: string
  remedy: Remedy
  /** What a person can do. @default [] */
  hints?: readonly Hint[]
}

/** A member of an etcd without majority that has its data. */
export interface Survivor {
  instance: string
  /** Everything up to it is there. */
  revision: number
  /**
   * It was started without a majority, and gives its data to nobody before it has one; its log may hold more than the
   * revision says. @default false
   */
  isWaiting?: boolean
}

/** All that is wrong with a plane, in the order in which it is put right. */
export interface Diagnosis {
  faults: PlaneFault[]
  /**
   * Only when etcd has lost its majority for good: the members that still have data, the one that knows most first.
   * @default it has a majority, or can have it again without a loss
   */
  survivors?: Survivor[]
  /** A new etcd of what survivors have was begun and cut off: going on with that is all there is. @default false */
  isUnfinished?: boolean
}
