import type { DataFingerprint } from '../plane/data-fingerprint.ts'
import type { Operation } from './operation.ts'
import type { Plane, PlaneMove, PlaneReference } from '../plane/plane.ts'

/** Records permanently that the plane with this id has this data, and replaces the plane that moves. */
export type HandOver = (id: string, data: DataFingerprint) => Promise<void>

/** A move seen from its source. All callbacks run while the plane is locked. */
export interface LeaveRequest {
  to: PlaneReference
  /** Whether the plane at the destination may start; until then it has no new writes. */
  hasBegun: (handedTo: string) => Promise<boolean>
  /** Copies the data to the destination, while the plane is fenced and its etcd runs. */
  transfer: (handOver: HandOver) => Promise<void>
}

/** A move that is undone, seen from its destination. */
export interface TakeBackRequest {
  /** Id of the plane that was moved here. */
  movingFrom: string
  /** The data that it had then. */
  handed: DataFingerprint
}

/** A move that is undone, seen from its source. All callbacks run while the plane is locked. */
export interface ReturnRequest {
  /**
   * Called if the data was handed over: makes the plane at the destination wait for data again.
   * @throws {VplaneError} `FAILED` when the destination may have new writes.
   */
  takeBack: (move: PlaneMove) => Promise<void>
  /** Called before the plane can be used again: deletes what exists at the destination. */
  undo: () => Promise<void>
}

export interface PlaneMoves {
  /**
   * Counts and hashes the current data in etcd, without keys that expire, such as those of Events.
   * @throws {VplaneError} `FAILED` when no etcd member runs, `UNREACHABLE` when none answers.
   */
  fingerprint(plane: Plane, signal: AbortSignal): Promise<DataFingerprint>

  /**
   * Fences a plane, so that it accepts no writes and cannot start, transfers its data, and stops it. Another call
   * continues an interrupted move. Nothing is transferred again once the plane at the destination has begun.
   * @throws {VplaneError} `FAILED` when a creation, restore or deletion of it is incomplete, and the errors of `transfer`.
   */
  leave(plane: Plane, request: LeaveRequest, operation: Operation): Promise<void>

  /**
   * Stops a plane that was moved here, and makes it wait for data again. Returns false, and lets it run, when it has
   * new writes or another operation on it runs.
   * @throws {VplaneError} `COMPONENT_FAILED` and `TIMED_OUT` when its etcd does not run, so that its data is unknown.
   */
  takeBack(plane: Plane, request: TakeBackRequest, operation: Operation): Promise<boolean>

  /**
   * Removes the fence of a plane and starts it, without waiting for the API, unless it was paused before. A plane
   * without a fence stays as it is.
   */
  return(plane: Plane, request: ReturnRequest, operation: Operation): Promise<void>
}

/** The record of a move before its data is handed over. */
export function moveOf(
  { desired, movingTo }: { desired: string; movingTo?: PlaneMove | undefined },
  to: PlaneReference,
): PlaneMove {
  const wasPaused = movingTo === undefined ? desired !== 'running' : movingTo.wasPaused === true
  return { to, ...(wasPaused ? { wasPaused } : {}) }
}
